from pathlib import Path

import pytest

from harness.errors import UsageError
from harness.run.settings.datadir import data_dir


def test_a_named_folder_is_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert data_dir("there", {"XDG_DATA_HOME": "/x"}) == tmp_path / "there"


def test_else_it_is_below_the_users_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    assert data_dir(None, {"XDG_DATA_HOME": "/x"}) == Path("/x/hermetic-harness")
    for env in ({}, {"XDG_DATA_HOME": ""}, {"XDG_DATA_HOME": "relative"}):
        assert data_dir(None, env) == Path("/home/me/.local/share/hermetic-harness")


def test_a_user_without_a_home_is_told_to_name_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless(*_: object) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(UsageError, match="HARNESS_DATA_DIR"):
        data_dir(None, {})
