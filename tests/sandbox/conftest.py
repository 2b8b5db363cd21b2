"""Starting small programs inside the harness's namespace, from whatever unprivileged user runs the tests."""

import fcntl
import json
import os
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ENTER = """
import os, sys
from harness.errors import HarnessError
from harness.sandbox import namespace
try:
    sys.exit(namespace.enter(sys.argv[1:], os.environ))
except HarnessError as error:
    print(error, file=sys.stderr)
    sys.exit(error.exit_status)
"""
#: What every program starts with; `inner` holds what they share.
PRELUDE = "import asyncio, json, os, signal, sys, time\nfrom pathlib import Path\nfrom tests.sandbox.inner import *\n"
ROOT = Path(__file__).parents[2]


class Entered:
    """A program inside the namespace. ``pid`` is the outer process's; a line of its output is a JSON value."""

    def __init__(self, command: list[str], env: dict[str, str], on_terminal: int | None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", ENTER, *command],
            env=env,
            stdin=subprocess.DEVNULL if on_terminal is None else on_terminal,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=on_terminal is not None,
            preexec_fn=None if on_terminal is None else lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        self.pid = self.process.pid

    def line(self) -> Any:
        """The next value that the program prints."""
        assert self.process.stdout is not None
        text = self.process.stdout.readline()
        if not text:
            assert self.process.stderr is not None
            pytest.fail(f"the program ended early with {self.process.wait()}:\n{self.process.stderr.read()}")
        return json.loads(text)

    def result(self, timeout: float = 120) -> Any:
        """The last value that it prints; it must end with 0."""
        out, err = self.process.communicate(timeout=timeout)
        assert self.process.returncode == 0, err
        return json.loads(out.splitlines()[-1])

    def status(self, timeout: float = 10) -> int:
        """What the outer process ended with."""
        return self.process.wait(timeout)


def children(pid: int) -> list[int]:
    """Pids of the processes whose parent is ``pid``."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == pid:
                found.append(int(entry.name))
    return found


def tree(pid: int) -> list[int]:
    """``pid`` and all that descend from it, the eldest first. What PID 1 of a namespace adopts stays in it."""
    found = [pid]
    for one in found:
        found += children(one)
    return found


def gone_within(pids: list[int], seconds: float) -> list[int]:
    """Those of ``pids`` that still run after ``seconds``; zombies that wait for a parent of ours count as gone."""
    deadline = time.monotonic() + seconds
    while True:
        left = [pid for pid in pids if running(pid)]
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.02)


def running(pid: int) -> bool:
    """Whether a process exists and is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.fixture
def state_dir() -> Iterator[Path]:
    """A short folder for podman's state that every uid may pass through, on a real disk."""
    import shutil
    import tempfile

    folder = Path(tempfile.mkdtemp(prefix="ht-", dir="/var/tmp"))
    folder.chmod(0o711)
    yield folder
    subprocess.run(
        [sys.executable, "-c", ENTER, sys.executable, "-c", WIPE, str(folder)], check=False, capture_output=True
    )
    shutil.rmtree(folder, ignore_errors=True)


WIPE = """
import os, pathlib, shutil, sys
for folder in pathlib.Path(sys.argv[1]).glob("*/*"):
    if folder.name != "bin":
        shutil.rmtree(folder, ignore_errors=True)
"""


@pytest.fixture
def enter(state_dir: Path) -> Iterator[Callable[..., Entered]]:
    """Starts Python source inside the namespace; ends it with the test."""
    if not (os.environ.get("HARNESS_RUNTIME") and os.environ.get("HARNESS_ROOTFS")):
        pytest.skip("HARNESS_RUNTIME and HARNESS_ROOTFS are not set: `nix run .#tests` sets them")
    started: list[Entered] = []

    def start(source: str, *arguments: str, on_terminal: int | None = None, **env: str) -> Entered:
        path = os.pathsep.join([str(ROOT), *filter(None, sys.path)])
        one = Entered(
            [sys.executable, "-c", PRELUDE + source, *arguments],
            {**os.environ, "HARNESS_STATE_DIR": str(state_dir), "PYTHONPATH": path, **env},
            on_terminal,
        )
        started.append(one)
        return one

    yield start
    for one in started:
        if one.process.poll() is None:
            one.process.kill()
        one.process.communicate()
