"""Commands in a process of their own."""

import sys
from pathlib import Path

import pytest

from harness.api import HarnessError, UsageError
from harness.api.child import command
from harness.run.reproduce import commands


def test_what_a_command_says_is_heard() -> None:
    heard: list[str] = []
    with pytest.raises(UsageError, match="no such"):
        command(["verify", "/none"], heard.append)
    assert heard != []


def test_a_command_without_an_object_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "run", lambda *_: (0, b"no JSON"))
    with pytest.raises(HarnessError, match="printed no JSON: b'no JSON'"):
        command(["verify", "R"])


def test_the_wrapper_is_run_where_the_parts_are_not_named(
    argv: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.delenv("HARNESS_RUNTIME", raising=False)
    command(["verify", "R"])
    assert argv[:3] == [sys.executable, "-I", "-m"]
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "harness").touch()
    argv.clear()
    command(["verify", "R"])
    assert argv == [str(tmp_path / "bin" / "harness"), "verify", "R", "--json"]
    monkeypatch.setenv("HARNESS_RUNTIME", "/nix/store/runtime")
    argv.clear()
    command(["verify", "R"])
    assert argv[0] == sys.executable
