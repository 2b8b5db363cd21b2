"""The processes of one sandbox, found by their user ids in /proc: no other sandbox has the same."""

import os
from pathlib import Path

import attrs

PROC = Path("/proc")
KIB = 1024


@attrs.frozen
class Process:
    """``rss`` is in bytes."""

    pid: int
    uid: int
    rss: int


def parse_status(pid: int, text: str) -> Process | None:
    """Out of /proc/PID/status; None for a zombie, which is dead and only waits to be collected."""
    fields = dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)
    if fields.get("State", "Z").startswith(("Z", "X")):
        return None
    rss = int(fields["VmRSS"].split()[0]) * KIB if "VmRSS" in fields else 0
    return Process(pid, int(fields["Uid"].split()[0]), rss)


def of_ids(first: int, count: int | None, proc: Path = PROC) -> tuple[Process, ...]:
    """The living processes whose real uid is one of ``count`` ids from ``first`` on, as counted in our namespace.

    Without a ``count`` all from ``first`` on: with 1, those of every sandbox.
    """
    found = []
    for entry in os.scandir(proc):
        if not entry.name.isdecimal():
            continue
        try:
            process = parse_status(int(entry.name), (proc / entry.name / "status").read_text())
        except (FileNotFoundError, ProcessLookupError):  # it ended meanwhile
            continue
        if process is not None and first <= process.uid and (count is None or process.uid < first + count):
            found.append(process)
    return tuple(found)


def proportional(pid: int, proc: Path = PROC) -> int:
    """Bytes of memory with each shared page divided among its users; slow for large processes; 0 if it has ended."""
    try:
        text = (proc / str(pid) / "smaps_rollup").read_text()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * KIB for line in text.splitlines() if line.startswith("Pss:"))
