"""The command under supervision: its environment, its status, its signals."""

import fcntl
import os
import pty
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest
import supervise
from account import Account

pytestmark = pytest.mark.integration  # needs setpriv and sh

HANDOVER = Path(supervise.__file__).parent
PATH = "/usr/bin:/bin"


def program(me: Account, script: str) -> str:
    """A supervisor that runs a shell script."""
    return f"""
import os, sys
from pathlib import Path
sys.path.insert(0, {str(HANDOVER)!r})
import supervise
from account import Account
supervise.hold_signals()
me = Account({me.name!r}, {me.uid}, {me.gid}, Path({str(me.home)!r}))
lock = os.open({str(me.home / "lock")!r}, os.O_RDONLY | os.O_CREAT)
sys.exit(supervise.run(["sh", "-c", {script!r}], me.home, {{"PATH": {PATH!r}}}, me, lock))
"""


def supervised(me: Account, script: str) -> "subprocess.Popen[str]":
    """Start a supervisor in a process of its own, without a terminal."""
    return subprocess.Popen(
        [sys.executable, "-c", program(me, script)],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        stdin=subprocess.DEVNULL,
    )


def first_line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def gone(pid: int) -> bool:
    for _ in range(100):
        if not Path(f"/proc/{pid}/cwd").exists():
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize(("script", "status"), [("exit 7", 7), ("kill -KILL $$", 137), ("exec no-such-command", 127)])
def test_the_exit_status_is_the_commands(me: Account, script: str, status: int) -> None:
    assert supervised(me, script).wait() == status


@pytest.mark.parametrize("name", ["INT", "TERM", "HUP", "USR1"])
def test_a_signal_reaches_the_command_once_and_it_decides(me: Account, name: str) -> None:
    count = f"n=0; trap 'n=$((n + 1))' {name}; trap 'echo $n; exit 5' QUIT; echo ready; while :; do sleep 0.02; done"
    process = supervised(me, count)
    assert first_line(process) == "ready"
    process.send_signal(signal.Signals[f"SIG{name}"])
    time.sleep(0.3)
    process.send_signal(signal.SIGQUIT)
    assert first_line(process) == "1"
    assert process.wait() == 5


def test_one_ctrl_c_at_a_terminal_reaches_the_command_once(me: Account) -> None:
    count = "n=0; trap 'n=$((n + 1))' INT; trap 'echo $n; exit 5' QUIT; echo ready; while :; do sleep 0.02; done"
    keyboard, screen = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", program(me, count)],
        stdin=screen,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(screen)
    assert first_line(process) == "ready"
    for presses in (1, 2):
        os.write(keyboard, b"\x03")
        time.sleep(0.3)
        assert process.poll() is None, presses
    process.send_signal(signal.SIGQUIT)
    assert first_line(process) == "2"
    assert process.wait() == 5
    os.close(keyboard)


def test_a_command_whose_supervisor_was_killed_ends(me: Account) -> None:
    process = supervised(me, "trap 'echo stopped; exit' TERM; echo $$; while :; do sleep 0.02; done")
    pid = int(first_line(process))
    process.kill()
    assert first_line(process) == "stopped"
    assert gone(pid)
    process.wait()


def test_the_lock_is_held_as_long_as_anything_runs(me: Account) -> None:
    process = supervised(me, "sleep 1 >/dev/null & echo started")
    assert first_line(process) == "started"
    process.wait()
    with (me.home / "lock").open() as lock:
        os.set_inheritable(lock.fileno(), False)
        assert holders(me.home / "lock") >= 1
        fcntl.flock(lock, fcntl.LOCK_EX)


def holders(path: Path) -> int:
    """Count the processes that have a file open."""
    links = [link for link in Path("/proc").glob("[0-9]*/fd/*") if link.parts[2] != str(os.getpid())]
    count = 0
    for link in links:
        try:
            count += link.readlink() == path
        except OSError:
            continue
    return count
