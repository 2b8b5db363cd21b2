"""The processes of one sandbox, found by their user ids in /proc: no other sandbox has the same."""

import os
from pathlib import Path

import attrs

PROC = Path("/proc")
KIB = 1024


@attrs.frozen
class Process:
    """Bytes: ``rss`` are of its pages in memory or swapped out, ``tables`` those in which the kernel notes where they
    are. Of memory that is only read no page is its own, but tables are: 2 MiB of it cost 4 KiB."""

    pid: int
    uid: int
    rss: int
    tables: int = 0


def parse_status(pid: int, text: str) -> Process | None:
    """Out of /proc/PID/status; None for a zombie, which is dead and only waits to be collected.

    A process whose first thread has ended says that it is a zombie while the others live: it is none. Of what its name
    may hold the kernel escapes line feeds, and nothing else that splits lines elsewhere.
    """
    fields = dict(line.split(":\t", 1) for line in text.split("\n") if ":\t" in line)
    if fields.get("State", "Z").startswith(("Z", "X")) and int(fields.get("Threads", "1")) <= 1:
        return None

    def size(name: str) -> int:
        return int(fields[name].split()[0]) * KIB if name in fields else 0

    return Process(pid, int(fields["Uid"].split()[0]), size("VmRSS") + size("VmSwap"), size("VmPTE"))


def of_ids(first: int, count: int | None, proc: Path = PROC) -> tuple[Process, ...]:
    """The living processes whose real uid is one of ``count`` ids from ``first`` on, as counted in our namespace.

    Without a ``count`` all from ``first`` on: with 1, those of every sandbox.
    """
    found = []
    for entry in os.scandir(proc):
        if not entry.name.isdecimal():
            continue
        try:
            process = parse_status(int(entry.name), _status(proc / entry.name))
        except (FileNotFoundError, ProcessLookupError):  # it ended meanwhile
            continue
        if process is not None and first <= process.uid and (count is None or process.uid < first + count):
            found.append(process)
    return tuple(found)


def _status(folder: Path) -> str:
    """/proc/PID/status; where the first thread has ended, that of another one, which still knows the memory.

    A process chooses its own name, which need not be UTF-8, and may hold what ends a line elsewhere.
    """
    text = _text(folder / "status")
    if "\nVmRSS:" in text or "\nState:\tZ" not in text:
        return text
    for task in sorted((folder / "task").iterdir(), key=lambda one: int(one.name)):
        other = _text(task / "status")
        if "\nVmRSS:" in other:
            return other
    return text


def _text(file: Path) -> str:
    """As it stands there: what reads text makes a line feed of each carriage return."""
    return file.read_bytes().decode(errors="replace")


def proportional(pid: int, proc: Path = PROC) -> int:
    """Bytes of pages, in memory or swapped out, with each shared one divided among its users; slow for large processes;
    0 if it has ended."""
    try:
        # Each thread shows the memory of all; one that has ended shows none.
        threads = sorted((proc / str(pid) / "task").iterdir(), key=lambda one: int(one.name))
    except OSError:
        return 0
    return next((size for thread in threads if (size := _pss(thread / "smaps_rollup"))), 0)


def _pss(file: Path) -> int:
    try:
        text = file.read_text(errors="replace")
    except OSError:
        return 0
    return sum(int(line.split()[1]) * KIB for line in text.splitlines() if line.startswith(("Pss:", "SwapPss:")))
