"""Running the harness and killing it, at a named point or at a moment of a phase."""

import asyncio
import contextlib
import json
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import attrs

from tests.durability.schedule import Kill
from tests.integration.conftest import command
from tests.sandbox.conftest import gone_within, tree

DYING = Path(__file__).parent / "dying.py"
LOOK = 0.02  # seconds between two looks at the folder
LONGEST = 300.0  # seconds that one start may take


@attrs.frozen
class Killer:
    """``words`` is the command line; ``folder`` its run folder; ``blobs``: see `aftermath.blob_kinds`."""

    words: list[str]
    folder: Path
    tasks: int
    blobs: Mapping[str, str]
    environment: Mapping[str, str]
    log: Path

    async def start(self, kill: Kill | None = None) -> bool:
        """Run the command, killed as it is said. Whether it was killed; else it has finished, with 0.

        Raises AssertionError where it ended in another way, or left processes or mounts behind.
        """
        with self.log.open("w+b") as said:
            process = await asyncio.create_subprocess_exec(
                *self._command(kill),
                env=self.environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=said,
            )
            family = {process.pid}
            try:
                async with asyncio.timeout(LONGEST):
                    await self._follow(process, family, kill)
            finally:
                if process.returncode is None:
                    process.kill()
                    await process.wait()
        assert gone_within(sorted(family), 2) == [], self._said()
        assert self.environment["HARNESS_STATE_DIR"] not in _mounts()
        if process.returncode == 0:
            return False
        assert process.returncode in {-signal.SIGKILL, 128 + signal.SIGKILL}, self._said()
        return True

    def _command(self, kill: Kill | None) -> list[str]:
        if kill is None or kill.point is None:
            return command(*self.words)
        order = {
            "root": str(self.folder),
            "kind": kill.point.kind,
            "step": kill.point.step,
            "count": kill.count,
            "blobs": dict(self.blobs),
        }
        return [sys.executable, "-I", "-B", str(DYING), json.dumps(order), *self.words]

    async def _follow(self, process: asyncio.subprocess.Process, family: set[int], kill: Kill | None) -> None:
        """Until it has ended; all that descends from it is noted meanwhile."""
        noting = asyncio.create_task(self._note(process, family))
        try:
            if kill is not None and kill.phase is not None:
                await self._kill_in(kill.phase, kill.seconds, process)
            await process.wait()
        finally:
            noting.cancel()

    async def _note(self, process: asyncio.subprocess.Process, family: set[int]) -> None:
        while process.returncode is None:
            family.update(tree(process.pid))
            await asyncio.sleep(0.2)

    async def _kill_in(self, phase: str, seconds: float, process: asyncio.subprocess.Process) -> None:
        for sign in self._signs(phase):
            while not sign():
                if process.returncode is not None:
                    return
                await asyncio.sleep(LOOK)
        await asyncio.sleep(seconds)
        with contextlib.suppress(ProcessLookupError):
            process.kill()

    def _signs(self, phase: str) -> list[Callable[[], bool]]:
        """What must have come, one after the other."""
        more = self._more
        match phase:
            case "begin":
                return []
            case "first sandboxes" | "playing":
                return [more("observed")]
            case "keeping":
                return [more("observed"), self._later("blobs")]
            case "grading":
                return [more("judge", "scores")]
            case "summing up":
                return [lambda: self._count("done") >= 2 * self.tasks]
            case _:
                raise ValueError(phase)

    def _more(self, *names: str) -> Callable[[], bool]:
        """Whether there is more in these folders than when this was called."""
        before = self._count(*names)
        return lambda: self._count(*names) > before

    def _later(self, name: str) -> Callable[[], bool]:
        """Whether there is more in a folder than when this was first asked."""
        first: list[int] = []

        def asked() -> bool:
            first.append(self._count(name))
            return first[-1] > first[0]

        return asked

    def _count(self, *names: str) -> int:
        found = 0
        for name in names:
            with contextlib.suppress(OSError):
                found += sum(1 for _ in (self.folder / name).rglob("*"))
        return found

    def _said(self) -> str:
        return self.log.read_text(errors="replace")[-4000:]


def _mounts() -> str:
    return Path("/proc/self/mountinfo").read_text()
