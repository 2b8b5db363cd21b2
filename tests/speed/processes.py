"""What the processes below a command use, by kind, read from /proc from time to time."""

import asyncio
import contextlib
import os
import re
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Final

import attrs

EVERY: Final = 0.5  # seconds; of what lives shorter only some is seen
_TICK: Final = os.sysconf("SC_CLK_TCK")


@attrs.define
class Watch:
    """Sees the descendants of one process.

    ``cpu``: each one's kind and own CPU seconds, by its number; ``memory``: the most that one of a kind ever had
    resident, in MiB.
    """

    root: int
    cpu: dict[int, tuple[str, float]] = attrs.Factory(dict)
    memory: Counter[str] = attrs.Factory(Counter)

    def look(self) -> None:
        """Look once."""
        stats = {pid: stat for pid in _numbers() if (stat := _stat(pid))}
        below = {self.root}
        # A child has a higher number than its parent, but where the numbers have begun anew.
        for pid in sorted(stats):
            parent, seconds = stats[pid]
            if (parent in below or pid == self.root) and (status := _status(pid)):
                below.add(pid)
                kind = self._kind(status)
                self.cpu[pid] = kind, seconds
                peak = int(status.get("VmHWM", "0").split()[0]) // 1024
                self.memory[kind] = max(self.memory[kind], peak)

    def seconds(self) -> dict[str, float]:
        """CPU seconds by kind, of what was seen; the most first."""
        found: defaultdict[str, float] = defaultdict(float)
        for kind, seconds in self.cpu.values():
            found[kind] += seconds
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def _kind(self, status: Mapping[str, str]) -> str:
        """The harness's Python, a sandbox's process (it runs as another user), or the name of what it is."""
        name = status["Name"]
        if int(status["Uid"].split()[0]) not in (os.getuid(), 0):
            return f"sandbox {'opencode' if 'opencode' in name else 'other'}"
        return "harness" if name.startswith("python") else name


@contextlib.asynccontextmanager
async def watched(root: int) -> AsyncIterator[Watch]:
    """Watches a process and all below it until the block ends."""
    watch = Watch(root)

    async def look() -> None:
        while True:
            watch.look()
            await asyncio.sleep(EVERY)

    watching = asyncio.create_task(look())
    try:
        yield watch
    finally:
        watching.cancel()


def idle_seconds() -> float:
    """How long this machine's processors together have had nothing to do since it was started."""
    fields = Path("/proc/stat").read_text().split(maxsplit=6)
    return (int(fields[4]) + int(fields[5])) / _TICK


def _numbers() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdecimal()]  # noqa: PTH208 (half as costly)


def _stat(pid: int) -> tuple[int, float] | None:
    """Parent and own CPU seconds; None where the process has gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return int(fields[1]), (int(fields[11]) + int(fields[12])) / _TICK


def _status(pid: int) -> dict[str, str] | None:
    try:
        text = Path(f"/proc/{pid}/status").read_text(errors="replace")
    except OSError:
        return None
    return dict(re.findall(r"^(\w+):\t(.*)$", text, re.MULTILINE))
