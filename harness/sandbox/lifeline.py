"""The first process of a sandbox: knowing when it is dead, and killing it and all that came from it."""

import asyncio
import os
import signal
from collections.abc import Sequence

from harness.errors import HostUnfitError, SandboxError
from harness.sandbox import processes
from harness.sandbox.slots import Slot
from harness.sandbox.subids import SLOT_IDS

KILL_SECONDS = 60.0


class Lifeline:
    """A descriptor of PID 1 of the sandbox's PID namespace.

    The kernel ends every process of a PID namespace with its PID 1, and reports that one's end after theirs.
    """

    def __init__(self, pid: int, slot: Slot) -> None:
        """
        Raises:
            SandboxError: ``pid`` is no process of the sandbox: it ended already.
        """
        self._slot = slot
        self._descriptor: int | None = None
        self._over = asyncio.get_running_loop().create_future()
        try:
            descriptor = os.pidfd_open(pid)
        except ProcessLookupError as error:
            raise SandboxError("The sandbox ended before it was started") from error
        if pid not in {one.pid for one in self.left()}:
            os.close(descriptor)
            raise SandboxError("The sandbox ended before it was started")
        self._descriptor = descriptor
        asyncio.get_running_loop().add_reader(descriptor, self._report)

    def _report(self) -> None:
        assert self._descriptor is not None
        asyncio.get_running_loop().remove_reader(self._descriptor)
        if not self._over.done():
            self._over.set_result(None)

    @property
    def dead(self) -> bool:
        """Whether the end was seen."""
        return self._over.done()

    async def ended(self) -> None:
        """Returns when the sandbox's last process is dead."""
        await asyncio.shield(self._over)

    def left(self) -> tuple[processes.Process, ...]:
        """Living processes with the sandbox's ids."""
        return processes.of_ids(self._slot.first, SLOT_IDS)

    async def kill(self) -> None:
        """Ends everything in the sandbox and waits until that is so.

        Raises:
            HostUnfitError: something survived, such as a process that hangs in a device's driver. It may go on writing
                and asking, so no attempt may be graded, and none be made, until somebody has looked.
        """
        assert self._descriptor is not None
        if not self.dead:
            signal.pidfd_send_signal(self._descriptor, signal.SIGKILL)
        try:
            await asyncio.wait_for(self.ended(), KILL_SECONDS)
        except TimeoutError as error:
            raise _survived(self.left(), f"outlived SIGKILL for {KILL_SECONDS:.0f} s") from error
        if left := self.left():
            raise _survived(left, "are outside their sandbox, and live")

    def close(self) -> None:
        """Lets the descriptor go."""
        if self._descriptor is not None:
            asyncio.get_running_loop().remove_reader(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = None


def _survived(left: Sequence[processes.Process], what: str) -> HostUnfitError:
    pids = ", ".join(str(one.pid) for one in left) or "unknown to us"
    return HostUnfitError(
        f"Processes {pids} of a sandbox {what}.",
        "They hang in the kernel: as root look at /proc/PID/stack and dmesg. A reboot ends them; the same command then "
        "goes on with the run.",
    )
