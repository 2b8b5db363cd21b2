"""Free space."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from harness.errors import NoSpaceError
from harness.store.space import check_space


def test_enough_space_is_told(tmp_path: Path) -> None:
    assert check_space(tmp_path / "not" / "there" / "yet", 1) > 0


def test_too_little_space_is_refused_with_both_figures(tmp_path: Path) -> None:
    with pytest.raises(NoSpaceError, match=r"MiB free, but 1,099,511,627,776 MiB are needed"):
        check_space(tmp_path, 2**60)


def test_less_than_the_unit_is_not_told_as_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.statvfs", lambda path: SimpleNamespace(f_bavail=1, f_frsize=4096))
    with pytest.raises(NoSpaceError, match=r"has 0 MiB free, but 1 MiB are needed"):
        check_space(tmp_path, 8192)
