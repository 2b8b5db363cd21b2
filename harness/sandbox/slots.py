"""Host-wide allocator of id ranges: no two sandboxes of a host share one, whichever harness process runs them.

A slot is taken by binding an abstract UNIX socket whose name holds the first id of the host that the slot stands for.
Such a name lives in the network namespace, which the harness shares with the host, and the kernel frees it with the
process, however that dies. Lock files would need a folder that all processes see, and a job of a cluster often has a
/tmp, /var/tmp and /dev/shm of its own, while the ids are the same for all. Another user can take names in advance:
that keeps us waiting, but never makes two sandboxes share ids.
"""

import asyncio
import errno
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import attrs

from harness.errors import HostUnfitError
from harness.sandbox import processes
from harness.sandbox.subids import SLOT_IDS, IdRange

#: Seconds between two looks for a slot that another process has freed: it can't tell us.
LOOK_AGAIN = 0.5


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


class Slots:
    """The slots in ``ids``; both the uids and the gids of a slot are the sandbox's own."""

    def __init__(self, ids: IdRange, survivors: Callable[[Slot], bool] = survivors) -> None:
        """``survivors`` says whether anything still runs with a slot's ids."""
        self.ids = ids
        self._survivors = survivors
        self.count = ids.count // SLOT_IDS
        if self.count == 0:
            raise HostUnfitError(f"Only {ids.count} subordinate ids are mapped; each sandbox needs {SLOT_IDS}.")
        self._freed = asyncio.Event()
        self._lost: list[socket.socket] = []

    def _take(self) -> tuple[Slot, socket.socket] | None:
        for number in range(self.count):
            held = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            try:
                held.bind(socket_name(self.ids, number))
            except OSError as error:
                held.close()
                if error.errno != errno.EADDRINUSE:
                    raise
            else:
                return Slot(number), held
        return None

    @asynccontextmanager
    async def take(self) -> AsyncIterator[Slot]:
        """The lowest free slot; waits while every one is in use."""
        while (taken := self._take()) is None:
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
                held.close()
                self._freed.set()
