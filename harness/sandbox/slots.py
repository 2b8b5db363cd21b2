"""Host-wide allocator of id ranges: no two sandboxes of a host share one, whichever harness process runs them.

A slot is taken by binding an abstract UNIX socket whose name holds the first id of the host that the slot stands for,
and by holding the host's numbers of its ids (`harness.sandbox.ranges`). The kernel frees both with the process, however
that dies. Lock files would need a folder that all processes see, and a job of a cluster often has a /tmp, /var/tmp and
/dev/shm of its own, while the ids are the same for all. Another user can take both in advance: that keeps us waiting,
but never makes two sandboxes share ids.

The name lives in the network namespace, which a harness that was started on the host itself shares with it. One that
was started in other namespaces may not see it, and may have the same ids under other numbers: so the ranges. The name
stays for older versions of the harness, which hold nothing else.
"""

import asyncio
import errno
import os
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import attrs

from harness.errors import HostUnfitError
from harness.sandbox import processes, ranges
from harness.sandbox.hostids import HostIds
from harness.sandbox.subids import SLOT_IDS, IdRange

#: Seconds between two looks for a slot that another process has freed: it can't tell us.
LOOK_AGAIN = 0.5
#: Seconds of waiting for others after which it is said.
SAID_AFTER = 30.0


@attrs.frozen
class Slot:
    """``first`` is the first of its ``SLOT_IDS`` ids inside the harness's namespace."""

    number: int

    @property
    def first(self) -> int:
        """0 is the harness itself; the subordinate ids start with 1."""
        return 1 + SLOT_IDS * self.number


def socket_name(ids: IdRange, number: int) -> str:
    """The abstract socket's name for a slot of ``ids``, the host's ids that are mapped."""
    return f"\0hermetic-harness-ids-{ids.first + SLOT_IDS * number}"


def survivors(slot: Slot) -> bool:
    """Whether a process of our namespace has one of the slot's ids."""
    return bool(processes.of_ids(slot.first, SLOT_IDS))


@attrs.frozen
class _Held:
    """What keeps a slot ours: the socket, and the descriptor of the ranges."""

    name: socket.socket
    ranges: int

    def release(self) -> None:
        self.name.close()
        os.close(self.ranges)


class Slots:
    """The slots in ``ids``; both the uids and the gids of a slot are the sandbox's own."""

    def __init__(
        self,
        ids: IdRange,
        host: HostIds,
        survivors: Callable[[Slot], bool] = survivors,
        say: Callable[[str], object] = lambda _: None,
    ) -> None:
        """
        Args:
            ids: those that are mapped, as they are counted above the harness's namespace.
            survivors: says whether anything still runs with a slot's ids.
            say: is told, once, when others have all of them for long.
        """
        self.ids = ids
        self._host = host
        self._survivors = survivors
        self._say: Callable[[str], object] | None = say
        self.count = ids.count // SLOT_IDS
        if self.count == 0:
            raise HostUnfitError(f"Only {ids.count} subordinate ids are mapped; each sandbox needs {SLOT_IDS}.")
        self._freed = asyncio.Event()
        self._lost: list[_Held] = []
        #: Where the host's numbers can't be known, all of them are held as long as one of our slots is in use.
        self._everything: int | None = None
        self._in_use = 0

    def _take(self) -> tuple[Slot, _Held] | None:
        for number in range(self.count):
            name = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            try:
                name.bind(socket_name(self.ids, number))
                held = self._hold(Slot(number))
            except OSError as error:
                name.close()
                if error.errno != errno.EADDRINUSE:
                    raise
                continue
            if held is not None:
                self._in_use += 1
                return Slot(number), _Held(name, held)
            name.close()
        return None

    def _hold(self, slot: Slot) -> int | None:
        """A descriptor that keeps the slot's ids from every other harness; None where another one has some."""
        wanted = self._host.of(IdRange(slot.first, SLOT_IDS))
        if wanted is not None:
            return ranges.hold(wanted)
        if self._everything is None:
            self._everything = ranges.hold([ranges.ALL])
        return None if self._everything is None else os.dup(self._everything)

    def _release(self, held: _Held) -> None:
        held.release()
        self._in_use -= 1
        if self._in_use == 0 and self._everything is not None:
            os.close(self._everything)
            self._everything = None
        self._freed.set()

    def _others_have_all(self) -> None:
        if self._in_use or self._say is None:
            return
        self._say("waiting: other harnesses of this machine, or another user's locks, have the ids that sandboxes need")
        self._say = None

    @asynccontextmanager
    async def take(self) -> AsyncIterator[Slot]:
        """The lowest free slot; waits while every one is in use."""
        began = asyncio.get_running_loop().time()
        while (taken := self._take()) is None:
            if asyncio.get_running_loop().time() - began >= SAID_AFTER:
                self._others_have_all()
            self._freed.clear()
            try:
                await asyncio.wait_for(self._freed.wait(), LOOK_AGAIN)
            except TimeoutError:
                continue
        slot, held = taken
        try:
            yield slot
        finally:
            if self._survivors(slot):
                self._lost.append(held)  # what survived must never share its ids with a new sandbox
            else:
                self._release(held)
