"""Keys: where they come from, and that no error shows one."""

import os
from pathlib import Path

import pytest

from harness.errors import UsageError
from harness.run.settings.keys import key, variables
from harness.run.settings.resolve import resolve


def test_the_first_variable_that_is_set_counts() -> None:
    found = key({"A": "", "B": "second-key", "C": "third-key"}, ("A", "B", "C"), None)
    assert found is not None
    assert found.reveal() == "second-key"
    assert key({}, ("A",), None) is None


def test_a_file_goes_over_the_environment(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("from-the-file\n")
    file.chmod(0o600)
    found = key({"A": "from-env"}, ("A",), str(file))
    assert found is not None
    assert found.reveal() == "from-the-file"


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o606])
def test_a_file_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "key"
    file.write_text("marked-secret")
    file.chmod(mode)
    with pytest.raises(UsageError, match="chmod 600") as caught:
        key({}, (), str(file))
    assert "marked-secret" not in str(caught.value)


def test_a_file_without_a_key_is_refused_without_showing_it(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("marked secret")
    file.chmod(0o600)
    with pytest.raises(UsageError) as caught:
        key({}, (), str(file))
    assert "marked" not in str(caught.value)
    with pytest.raises(UsageError, match="can't be read"):
        key({}, (), str(tmp_path / "none"))


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "key", 0o600)
    with pytest.raises(UsageError, match="no plain file"):
        key({}, (), str(tmp_path / "key"))


def test_a_file_that_is_larger_than_any_key_is_refused_and_not_cut(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("marked-" * 2000)
    file.chmod(0o600)
    with pytest.raises(UsageError, match="more than 10,000 bytes") as caught:
        key({}, (), str(file))
    assert "marked" not in str(caught.value)


@pytest.mark.parametrize(
    ("flags", "judge"),
    [
        ({"judge_base_url": "https://api.openai.com/v1"}, ("JUDGE_API_KEY", "OPENAI_API_KEY")),
        ({"judge_base_url": "https://api.openai.com.evil.example/v1"}, ("JUDGE_API_KEY",)),
        ({"judge_base_url": "https://h/v1", "send_openai_key": "true"}, ("JUDGE_API_KEY", "OPENAI_API_KEY")),
        ({}, ("JUDGE_API_KEY",)),
    ],
)
def test_openais_key_goes_to_openai_or_where_a_person_sends_it(flags: dict[str, str], judge: tuple[str, ...]) -> None:
    assert variables(resolve(flags, {}, {})) == {"policy": ("POLICY_API_KEY",), "judge": judge}
