"""Files that the environment names and the account can't read."""

from pathlib import Path

import inbox
import pytest
from account import Account


def test_a_readable_file_stays_where_it_is(tmp_path: Path, me: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data.zip").write_text("")
    monkeypatch.chdir(tmp_path)
    handed = inbox.hand_over({"BABYVISION_ZIP": "data.zip", "POLICY_MODEL": "m"}, me, me.home / "in")
    assert handed == {"BABYVISION_ZIP": str(tmp_path / "data.zip")}


def test_a_file_that_is_not_there_is_the_commands_business(tmp_path: Path, me: Account) -> None:
    name = str(tmp_path / "none")
    assert inbox.hand_over({"BABYVISION_PARQUET": name}, me, me.home / "in") == {"BABYVISION_PARQUET": name}


def test_a_closed_file_is_copied_once(tmp_path: Path, nobody: Account) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(0o700)
    (closed / "data.zip").write_text("content")
    variables = {"BABYVISION_ZIP": str(closed / "data.zip")}
    copy = Path(inbox.hand_over(variables, nobody, nobody.home / "in")["BABYVISION_ZIP"])
    assert copy.read_text() == "content"
    assert copy.stat().st_uid == nobody.uid
    first = copy.stat().st_ino
    inbox.hand_over(variables, nobody, nobody.home / "in")
    assert copy.stat().st_ino == first
