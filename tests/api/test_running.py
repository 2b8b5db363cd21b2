"""Commands that are run for a caller: their errors are ours, and their keys stay in the environment."""

import sys
from pathlib import Path

import pytest

from harness.api import UsageError, evaluate
from harness.run.reproduce import commands


def test_what_the_command_refuses_is_raised_in_its_words() -> None:
    with pytest.raises(UsageError, match=r"^There is no benchmark 'babyvison'\. Did you mean 'babyvision'\?$"):
        evaluate("babyvison", demo=True)
    with pytest.raises(UsageError, match="limit = '0': must be a whole number, at least 1"):
        evaluate("babyvision", demo=True, limit=0)


def test_a_fault_in_ones_own_file_is_told_by_its_line(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("\n1 / 0\n")
    with pytest.raises(UsageError, match=r"own\.py, line 2: ZeroDivisionError: division by zero$"):
        evaluate(tmp_path / "own.py", demo=True)


def test_a_settings_file_counts(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text("limit = 0\n")
    with pytest.raises(UsageError, match=r"s\.toml: limit"):
        evaluate("babyvision", demo=True, config=tmp_path / "s.toml")


@pytest.fixture
def argv(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The words of the command that a call would run."""
    found: list[str] = []

    def run(words: list[str], *_: object) -> tuple[int, bytes]:
        found.extend(words)
        return 0, b"{}"

    monkeypatch.setattr(commands, "run", run)
    return found


def test_no_key_is_on_the_command_line(argv: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLICY_API_KEY", "sk-secret")
    with pytest.raises(KeyError):
        evaluate("babyvision", policy_base_url="http://h/v1", policy_model="m", run="R", jobs=2)
    assert argv[argv.index("eval") :] == [
        "eval",
        "babyvision",
        "--policy-base-url=http://h/v1",
        "--policy-model=m",
        "--run=R",
        "--jobs=2",
        "--json",
    ]
    assert not [word for word in argv if "sk-secret" in word]


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
