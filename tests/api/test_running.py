"""Commands that are run for a caller: their errors are ours, and their keys stay in the environment."""

from pathlib import Path

import pytest

from harness.api import UsageError, evaluate


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


@pytest.mark.parametrize("name", ["--help", "-x.py"])
def test_a_name_is_never_taken_for_an_option(name: str) -> None:
    with pytest.raises(UsageError, match=f"The benchmark {name} can't be read: No such file"):
        evaluate(name, demo=True)


@pytest.mark.parametrize("name", ["a\0b.py", "a\ud800.py"])
def test_a_name_that_no_command_can_be_given_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="can't be given to a command"):
        evaluate(name, demo=True)


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
