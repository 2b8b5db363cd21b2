"""The command line: exit statuses and messages before anything is started."""

import errno
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from harness.cli.commands import COMMANDS
from harness.cli.main import run
from harness.errors import UsageError


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["evel"], "Did you mean 'eval'"),
        (["eval", "babyvison", "--demo"], "Did you mean 'babyvision'"),
        (["eval", "babyvision", "++polcy_model_name=m"], "Did you mean 'policy_model_name'"),
        (["eval", "babyvision", "--demo", "--job", "2", "--limits", "3"], "'--jobs'"),
        (["eval", "babyvision", "--demo", "surplus"], "'surplus'"),
        (["eval", "babyvision", "--demo", "--jobs", "none"], "whole number"),
        (["eval", "babyvision"], "--demo"),
        (["eval", "babyvision", "--demo", "--policy-model", "m"], "without policy_base_url"),
        (["eval", "babyvision", "--demo", "--limit", "-1"], "at least 1"),
        (["eval"], "BENCHMARK"),
        (["verify", "no/such/folder"], "no/such/folder is no run folder: there is no such folder."),
        (["verify", "."], ". is no run folder: it has no manifest.json."),
        ([], "Usage"),
    ],
)
def test_bad_input_is_explained_and_ends_with_2(
    argv: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("POLICY_BASE_URL", raising=False)
    assert run(argv) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([command, "--help"]) == 0
    assert "Usage: harness" in capsys.readouterr().out


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    out = capsys.readouterr().out
    assert all(command in out for command in COMMANDS)


def test_help_imports_nothing_heavy() -> None:
    heavy = {"numpy", "cv2", "openai", "pyarrow", "pydantic", "aiohttp", "rich"}
    code = "import sys; from harness.cli.main import run; run(['--help']); print(sorted(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0].strip("'[") for name in done.stderr.split(", ")}
    assert not heavy & loaded


def test_verify_names_a_changed_blob(tmp_path: Path, capsys: pytest.CaptureFixture[str], small_run: Path) -> None:
    assert run(["verify", str(small_run)]) == 0
    blob = next((small_run / "blobs" / "sha256").iterdir())
    blob.chmod(0o644)
    blob.write_bytes(blob.read_bytes() + b"!")
    assert run(["verify", str(small_run)]) == 5
    assert str(blob) in capsys.readouterr().err


def test_a_path_that_cannot_be_read_is_a_message_and_no_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(*_: object) -> None:
        raise PermissionError(13, "Permission denied", "/closed/R")

    monkeypatch.setattr("harness.store.runfolder.RunFolder.open", closed)
    for names, name in (({4242: SimpleNamespace(pw_name="somebody")}, "somebody"), ({}, "4242")):
        monkeypatch.setattr("harness.cli.main.os.geteuid", lambda: 4242)
        monkeypatch.setattr("harness.cli.main.pwd.getpwuid", names.__getitem__)
        assert run(["verify", "/closed/R"]) == 1
        assert capsys.readouterr().err == f"harness: Permission denied for user {name}: /closed/R\n"


@pytest.mark.parametrize(
    ("error", "ulimit"),
    [
        (OSError(errno.EAGAIN, os.strerror(errno.EAGAIN)), "ulimit -u"),
        (RuntimeError("can't start new thread"), "ulimit -u"),
        (OSError(errno.EMFILE, os.strerror(errno.EMFILE)), "ulimit -n"),
        (OSError(errno.ENFILE, os.strerror(errno.ENFILE)), "fs.file-max"),
    ],
)
def test_a_limit_that_was_met_is_the_machines_lack_and_says_what_to_do(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, error: Exception, ulimit: str
) -> None:
    def refused(*_: object) -> None:
        raise error

    monkeypatch.setattr("harness.store.runfolder.RunFolder.open", refused)
    assert run(["verify", "R"]) == 4
    assert ulimit in capsys.readouterr().err


def test_who_was_killed_inside_the_namespace_does_not_end_without_a_word(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.cli.main.cli.main", lambda *_, **__: 137)
    assert run(["eval", "babyvision", "--demo"]) == 137
    assert "SIGKILL" in capsys.readouterr().err


def test_a_library_that_may_start_no_thread_does_not_interrupt_us() -> None:
    source = (
        "import os; from harness.cli.main import main\n"
        "try: main(['--version'])\n"
        "except SystemExit: pass\n"
        "print(os.environ['OPENBLAS_NUM_THREADS'])"
    )
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "1"


def test_what_an_endpoint_said_moves_no_cursor(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise UsageError("the policy said \x1b[2J\r:\n  more of ours")

    monkeypatch.setattr("harness.store.runfolder.RunFolder.open", refused)
    assert run(["verify", "R"]) == 2
    assert capsys.readouterr().err == "harness: the policy said \\x1b[2J\\x0d:\n  more of ours\n"


def test_what_is_typed_moves_no_cursor(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("click.utils.should_strip_ansi", lambda *_: False)  # as on a terminal
    for argv in (["schema", "eval", "\x1b[31mX"], ["schema", "--\x1b[31mX"], ["completion", "\x1b[31mX"]):
        assert run(argv) == 2
        said = capsys.readouterr().err
        assert "\x1b" not in said
        assert "\\x1b[31mX" in said


def test_output_that_is_lost_is_no_success() -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-c", "from harness.cli.main import main; main(['--help'])"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith("harness: ")
    assert done.stderr.endswith("No space left on device\n")


@pytest.mark.parametrize(("closed", "status"), [((0,), 0), ((2,), 0), ((1,), 1), ((0, 1, 2), 1)])
def test_closed_streams_are_no_crash(closed: tuple[int, ...], status: int) -> None:
    """What was to be printed on a closed output is lost, and that is no success."""

    def close() -> None:
        for number in closed:
            os.close(number)

    command = [sys.executable, "-I", "-m", "harness.cli", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=close)
    assert (done.returncode, "Traceback" in done.stderr) == (status, False)
    if closed == (1,):
        assert "standard output can't be written to" in done.stderr
