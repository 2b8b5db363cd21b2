"""The whole hand-over: tree there, command, results back."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import export
import pytest
from account import Account

pytestmark = pytest.mark.integration  # needs git, sh and setpriv

HANDOVER = Path(export.__file__).parent
Start = Callable[[str], "subprocess.Popen[str]"]
Call = Callable[[str], int]


@pytest.fixture
def account(request: pytest.FixtureRequest) -> Account:
    """As root another user, else whoever runs the tests."""
    chosen = request.getfixturevalue("nobody" if os.getuid() == 0 else "me")
    assert isinstance(chosen, Account)
    return chosen


@pytest.fixture
def start(checkout: Path, account: Account, tmp_path: Path) -> Start:
    """Start a shell script through the hand-over; the checkout is closed to everyone else."""
    checkout.chmod(0o700)
    program = f"""
import runpy, sys
from pathlib import Path
handover = runpy.run_path({str(HANDOVER)!r})
handover["supervise"].hold_signals()
account = handover["Account"]({account.name!r}, {account.uid}, {account.gid}, Path({str(account.home)!r}))
tree, locks = Path({str(checkout)!r}), Path({str(tmp_path / "locks")!r})
sys.exit(handover["main"](tree, account, {os.environ["PATH"]!r}, sys.argv[1:], locks))
"""

    def run(script: str) -> "subprocess.Popen[str]":
        command = [sys.executable, "-B", "-c", program, "sh", "-c", script]
        return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)

    return run


@pytest.fixture
def call(start: Start) -> Call:
    """Run a shell script through the hand-over; returns its exit status."""
    return lambda script: start(script).wait()


def test_results_come_back_and_are_there_in_the_next_call(call: Call, checkout: Path) -> None:
    assert call("mkdir R && echo one > R/file && exit 3") == 3
    assert (checkout / "R/file").read_text() == "one\n"
    assert call("echo two >> R/file") == 0
    assert (checkout / "R/file").read_text() == "one\ntwo\n"
    assert not (checkout / "R").is_symlink()


def test_the_command_runs_in_the_tree_with_nothing_of_the_callers_environment(
    call: Call, account: Account, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_ROOT", "x")
    monkeypatch.setenv("POLICY_API_KEY", "key")
    monkeypatch.setenv("HARNESS_ANYTHING", "y")
    assert call("test -x bin/program && env | sort > seen && id -u > who") == 0
    seen = dict(line.split("=", 1) for line in (checkout / "seen").read_text().splitlines())
    assert seen["HOME"] == str(account.home)
    assert (seen["POLICY_API_KEY"], seen["HARNESS_ANYTHING"]) == ("key", "y")
    assert "SECRET_OF_ROOT" not in seen
    assert (checkout / "who").read_text().strip() == str(account.uid)


def test_no_command_line_holds_a_secret(call: Call, checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLICY_API_KEY", "sesame-7391")
    assert call("cat /proc/[0-9]*/cmdline > lines 2>/dev/null; test -s lines") == 0
    assert b"sesame-7391" not in (checkout / "lines").read_bytes()


def test_calls_side_by_side_share_results_and_the_last_one_brings_them_back(start: Start, checkout: Path) -> None:
    wait = "n=0; until test -e {} || test $n = 200; do n=$((n + 1)); sleep 0.05; done"
    first = start("mkdir R && touch R/first && " + wait.format("R/second"))
    second = start(wait.format("R/first") + "; mkdir R/of-second")
    assert "something still runs" in second.communicate()[1]
    assert not (checkout / "R").exists()
    assert start("touch R/second").wait() == 0
    first.communicate()
    assert sorted(path.name for path in (checkout / "R").iterdir()) == ["first", "of-second", "second"]


def test_what_a_killed_call_left_comes_back_with_the_next(call: Call, checkout: Path, account: Account) -> None:
    assert call("true") == 0
    (tree,) = account.home.glob("trees/*/tree")
    subprocess.run(["mkdir", str(tree / "R")], check=True)
    os.chown(tree / "R", account.uid, account.gid)
    assert call("true") == 0
    assert (checkout / "R").is_dir()
