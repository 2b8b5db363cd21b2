"""A bundle appears whole or not at all, and in place of nothing."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness.errors import NoSpaceError, StoreCorruptError, UsageError
from harness.store.bundle import bundling
from harness.store.bundle.contents import Contents
from harness.store.digests import file_digest

Dump = Callable[[Path], Iterator[bytes]]


@pytest.fixture(autouse=True)
def _store(monkeypatch: pytest.MonkeyPatch, dump: Dump) -> None:
    """Store paths come from the fixture, and nothing waits for the disk."""
    write = bundling.write
    monkeypatch.setattr(bundling, "write", lambda contents, file, say: write(contents, file, say, dump))
    monkeypatch.setattr("harness.store.atomic.sync_filesystem", lambda path: None)


def quiet(line: str) -> None:
    """Nobody listens."""


def test_the_same_contents_give_the_same_file(contents: Contents, tmp_path: Path) -> None:
    one = bundling.bundle(contents, tmp_path / "new" / "one.tar", quiet)
    two = bundling.bundle(contents, tmp_path / "two.tar", quiet)
    assert (one.new, two.new, one.sha256) == (True, True, two.sha256)
    assert one.sha256 == file_digest(tmp_path / "two.tar")
    assert one.size == (tmp_path / "two.tar").stat().st_size
    again = bundling.bundle(contents, tmp_path / "two.tar", quiet)
    assert (again.new, again.sha256) == (False, two.sha256)


def test_what_stands_there_stays(contents: Contents, tmp_path: Path) -> None:
    (tmp_path / "b.tar").write_text("mine")
    with pytest.raises(UsageError, match="holds something else"):
        bundling.bundle(contents, tmp_path / "b.tar", quiet)
    assert (tmp_path / "b.tar").read_text() == "mine"
    with pytest.raises(UsageError, match="is a folder"):
        bundling.bundle(contents, tmp_path, quiet)


def test_nothing_is_left_of_one_that_failed(contents: Contents, tmp_path: Path) -> None:
    contents.data[1].path.write_text("other")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(StoreCorruptError):
        bundling.bundle(contents, tmp_path / "b.tar", quiet)
    assert sorted(tmp_path.iterdir()) == before


def test_a_disk_that_is_too_small_is_said_before(
    contents: Contents, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, needed: int) -> int:
        raise NoSpaceError(f"{needed} bytes")

    monkeypatch.setattr(bundling, "check_space", full)
    with pytest.raises(NoSpaceError, match=f"{contents.size // 4} bytes"):
        bundling.bundle(contents, tmp_path / "b.tar", quiet)


def test_each_store_path_is_said(contents: Contents, tmp_path: Path) -> None:
    said: list[str] = []
    bundling.bundle(contents, tmp_path / "b.tar", said.append)
    assert [line.split()[1] for line in said] == [path.path for path in contents.paths]
