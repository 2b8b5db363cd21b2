"""Filling what is bounded: each probe tries to use a little more than the bound that it is told."""

import errno
import json
import os
import signal
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from .calls import call
from .reporting import send
from .telling import Facts, Probe, refusal, told

GROUP = "exhaustion"
FOLDERS = {
    "disk-workspace": ("/workspace", "workdir"),
    "disk-home": ("/home", "workdir"),
    "disk-tmp": ("/tmp", "tmp"),  # noqa: S108
    "disk-shared-memory": ("/dev/shm", "shm"),  # noqa: S108
}
#: What the kernel says where a bound is reached; with any other error nothing was filled, and nothing is known.
AT_A_BOUND = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EMFILE, errno.EAGAIN, errno.ENOMEM})
OUTPUT = "/task/out/report"
PIECE = b"z" * (256 << 10)
#: Seconds: longer than all the others take.
LONG = 60


def _fill(folder: str, bound: str, facts: Facts) -> str:
    """Several files, as one alone has a bound of its own."""
    most, made = facts["bounds"][bound], []
    try:
        for number in range(most // len(PIECE) + 1):
            made.append(Path(folder, f"full-{number}"))
            made[-1].write_bytes(PIECE)
    finally:
        for path in made:
            path.unlink()
    return f"{len(made) * len(PIECE)} bytes were written, and {most} are allowed"


def _output(facts: Facts) -> str:
    most = facts["bounds"]["output"]
    with open(OUTPUT, "wb", buffering=0) as file:  # noqa: PTH123  unbuffered
        written = sum(file.write(b"z") for _ in range(most + 1))
    return f"{written} bytes were written, and {most} are allowed"


def _large(facts: Facts) -> str:
    most = facts["bounds"]["workdir"]
    path = Path("/tmp/large")  # noqa: S108  the sandbox's
    try:
        with path.open("wb") as file:
            os.truncate(file.fileno(), most + 1)
    finally:
        path.unlink()
    return f"a file of {most + 1} bytes was made, and {most} are allowed"


def _names(where: str, facts: Facts) -> str:
    folder, most = Path(where, "many"), facts["bounds"]["inodes"]
    folder.mkdir()
    try:
        for number in range(most + 1):
            (folder / str(number)).touch()
    finally:
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()
    return f"{most + 1} files were made, and {most} are allowed"


def _handles(make: Callable[[], int], most: int) -> None:
    """Makes one more than there may be, and closes them all."""
    opened = []
    try:
        for _ in range(most + 1):
            opened.append(make())  # noqa: PERF401  those that were opened must be known where one is refused
    finally:
        for one in opened:
            os.close(one)


def _descriptors(facts: Facts) -> str:
    most = facts["bounds"]["open_files"]
    _handles(lambda: os.dup(1), most)
    return f"{most + 1} files were open, and {most} are allowed"


def _watchers(facts: Facts) -> str:
    """They are counted for the user who runs the harness, so one sandbox could take them from all the others."""
    most = facts["bounds"]["watchers"]
    _handles(lambda: call("inotify_init1", 0), most)
    return f"{most + 1} watchers of files were open, and {most} are allowed"


def _processes(facts: Facts) -> str:
    most, made = facts["bounds"]["pids"], []
    try:
        for _ in range(most + 1):
            child = os.fork()
            if child == 0:
                time.sleep(LONG)
                os._exit(0)
            made.append(child)
    finally:
        for child in made:
            os.kill(child, signal.SIGKILL)
        for child in made:
            os.waitpid(child, 0)
    return f"{most + 1} processes were there, and {most} are allowed"


def _memory(facts: Facts) -> str:
    """Several processes, none of which is above the bound by itself."""
    most, made = facts["bounds"]["memory"], []
    for _ in range(4):
        child = os.fork()
        if child == 0:
            kept = b"m" * (most // 3)
            time.sleep(facts["bounds"]["seconds"] if kept else 0)
            os._exit(0)
        made.append(child)
    ends = [os.waitpid(child, 0)[1] for child in made]
    if any(ends):
        raise MemoryError("a process was ended, and not the whole sandbox")
    return f"{4 * (most // 3)} bytes were in use, and {most} are allowed"


FILLING: dict[str, Callable[[Facts], str]] = {
    **{name: partial(_fill, folder, bound) for name, (folder, bound) in FOLDERS.items()},
    "disk-output": _output,
    "file-size": _large,
    **{f"inodes{name.removeprefix('disk')}": partial(_names, folder) for name, (folder, _) in FOLDERS.items()},
    "descriptors": _descriptors,
    "file-watchers": _watchers,
    "pids": _processes,
}


def bounded(act: Callable[[Facts], str], facts: Facts) -> str:
    """The probe, which is refused by a bound alone."""
    try:
        return act(facts)
    except OSError as error:
        if error.errno in AT_A_BOUND:
            raise
        raise RuntimeError(f"it came to no bound: {refusal(error)}") from error


PROBES = tuple(Probe(name, GROUP, partial(bounded, act)) for name, act in FILLING.items())
#: In a sandbox of its own, which doesn't outlive it.
MEMORY = Probe("memory", GROUP, _memory)


def main(facts: str) -> None:
    """Reads the facts out of a file."""
    known: Facts = json.loads(Path(facts).read_text())
    send(told(probe, known) for probe in ((MEMORY,) if known["bounds"].get("memory") else PROBES))
