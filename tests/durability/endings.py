"""Ways in which a run can end, and what there may be of it on the machine afterwards: nothing."""

import asyncio
import contextlib
import os
import re
import signal
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import attrs

from tests.integration.conftest import command
from tests.sandbox.conftest import gone_within, tree

LONGEST = 300.0  # seconds that one start may take
#: Folders in which a container runtime leaves locks, sockets and names of namespaces, and what they are called there.
SHARED: Final = ("/dev/shm", "/tmp", "/var/tmp", "/run", f"/run/user/{os.getuid()}", "/run/netns", "/run/lock")
THEIRS: Final = re.compile("podman|libpod|conmon|containers|runc|storage|netns|harness|hermetic")


@attrs.frozen
class Ending:
    """``aim`` is who gets the signals: the harness, or the first process of that name below it.

    ``statuses``: what the command may end with when they have met it in the middle.
    """

    name: str
    aim: str = "harness"
    signals: tuple[signal.Signals, ...] = ()
    statuses: frozenset[int] = frozenset({0})


ENDINGS: Final = (
    Ending("by itself"),
    Ending("SIGKILL", signals=(signal.SIGKILL,), statuses=frozenset({-signal.SIGKILL})),
    Ending("SIGTERM", signals=(signal.SIGTERM,), statuses=frozenset({130})),
    Ending("Ctrl-C", signals=(signal.SIGINT,), statuses=frozenset({130})),
    Ending("Ctrl-C twice", signals=(signal.SIGINT, signal.SIGINT), statuses=frozenset({130})),
    # What the harness started has died under its hands: the host's trouble, so nothing is measured by it.
    Ending("death of the service", "podman", (signal.SIGKILL,), frozenset({0, 3, 4})),
    Ending("death of a monitor", "conmon", (signal.SIGKILL,), frozenset({0, 3, 4})),
)


@attrs.frozen
class Machine:
    """What is there of containers: names in shared folders, and the bytes below one state folder."""

    names: frozenset[str]
    used: int

    @classmethod
    def seen(cls, state: Path) -> "Machine":
        """As it is now; the harness's own links to setuid programs stay, and count nothing."""
        names = {f"{folder}/{name}" for folder in SHARED for name in _names(folder) if THEIRS.search(name)}
        return cls(frozenset(names), sum(path.lstat().st_size for path in _files(state)))


async def run(words: Sequence[str], ending: Ending, after: float, environment: Mapping[str, str], log: Path) -> int:
    """Run the command line, ended so after so many seconds, and return its exit status.

    Raises AssertionError where it ended in another way, or left a process or a mount.
    """
    with log.open("w+b") as said:
        process = await asyncio.create_subprocess_exec(
            *command(*words), env=environment, stdin=asyncio.subprocess.DEVNULL, stdout=said, stderr=said
        )
        family = {process.pid}
        noting = asyncio.create_task(_note(process, family))
        try:
            async with asyncio.timeout(LONGEST):
                met = await _signal(process, ending, after)
                await process.wait()
        finally:
            noting.cancel()
            if process.returncode is None:
                process.kill()
                await process.wait()
    assert process.returncode is not None
    # It may have come to its end before the signal did.
    _check(family, environment["HARNESS_STATE_DIR"], process.returncode, ending.statuses | {0} if met else {0}, log)
    return process.returncode


def _check(family: set[int], state: str, status: int, statuses: Collection[int], log: Path) -> None:
    said = log.read_text(errors="replace")[-4000:]
    assert gone_within(sorted(family), 2) == [], said
    assert state not in Path("/proc/self/mountinfo").read_text()
    assert naming(state) == []
    assert status in statuses, said


def naming(path: str) -> list[str]:
    """The command lines of all processes of the machine, whoever's, that name a path."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            line = (entry / "cmdline").read_bytes() if entry.name.isdecimal() else b""
            if os.fsencode(path) in line and int(entry.name) != os.getpid():
                found.append(line.replace(b"\0", b" ").decode(errors="replace"))
    return found


async def _note(process: asyncio.subprocess.Process, family: set[int]) -> None:
    while process.returncode is None:
        family.update(tree(process.pid))
        await asyncio.sleep(0.1)


async def _signal(process: asyncio.subprocess.Process, ending: Ending, after: float) -> bool:
    """Send the signals; False where there was nobody to get them any more."""
    if not ending.signals:
        return False
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(process.wait(), after)
    for number in ending.signals:
        aim = process.pid if ending.aim == "harness" else _below(process.pid, ending.aim)
        if process.returncode is not None or aim is None:
            return False
        with contextlib.suppress(ProcessLookupError):
            os.kill(aim, number)
        await asyncio.sleep(0.3)
    return True


def _below(pid: int, name: str) -> int | None:
    for found in sorted(tree(pid)):
        with contextlib.suppress(OSError):
            if Path(f"/proc/{found}/comm").read_text().strip() == name:
                return found
    return None


def _names(folder: str) -> list[str]:
    try:
        return [path.name for path in Path(folder).iterdir()]
    except OSError:
        return []


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
