"""Files that appear whole or not at all."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.errors import HarnessError, NoSpaceError
from harness.store import atomic


def failing(code: int) -> Callable[..., int]:
    def fail(*_: object, **__: object) -> int:
        raise OSError(code, os.strerror(code))

    return fail


def half_then_full(handle: int, data: bytes) -> int:
    """A disk that takes some bytes and is then full."""
    if len(data) > 4:
        return real_write(handle, data[:4])
    raise OSError(errno.ENOSPC, "full")


real_write = os.write


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*"))


def test_write_makes_folders_and_replaces(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "file"
    atomic.write(path, b"one")
    atomic.write(path, b"two")
    assert path.read_bytes() == b"two"
    assert names(tmp_path) == ["a", "b", "file"]


def test_write_goes_on_after_a_short_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "write", lambda handle, data: real_write(handle, data[:3]))
    atomic.write(tmp_path / "file", b"0123456789")
    assert (tmp_path / "file").read_bytes() == b"0123456789"


def test_write_flushes_the_file_before_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, seen = tmp_path / "file", []
    real_fsync = os.fsync

    def fsync(handle: int) -> None:
        seen.append((Path(f"/proc/self/fd/{handle}").is_dir(), path.exists()))
        real_fsync(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    atomic.write(path, b"data")
    assert seen == [(False, False), (True, True)]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
@pytest.mark.parametrize("call", ["write", "fsync"])
@pytest.mark.parametrize("put", [atomic.write, atomic.publish])
def test_a_full_disk_leaves_nothing_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, put: Callable[[Path, bytes], object], call: str, code: int
) -> None:
    monkeypatch.setattr(os, call, failing(code))
    with pytest.raises(NoSpaceError, match=r"No space to write .*/file"):
        put(tmp_path / "file", b"data")
    assert names(tmp_path) == []


def test_a_disk_that_fills_up_in_mid_file_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    atomic.write(tmp_path / "file", b"old")
    monkeypatch.setattr(os, "write", half_then_full)
    with pytest.raises(NoSpaceError):
        atomic.write(tmp_path / "file", b"new and longer")
    assert (tmp_path / "file").read_bytes() == b"old"
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("code", [errno.EROFS, errno.EACCES])
def test_a_closed_folder_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    monkeypatch.setattr(os, "open", failing(code))
    with pytest.raises(HarnessError, match=r"May not write .*/file: .*\. Make it writable") as caught:
        atomic.write(tmp_path / "file", b"data")
    assert not isinstance(caught.value, NoSpaceError)


def test_another_trouble_is_named_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", failing(errno.EIO))
    with pytest.raises(HarnessError, match=r"Could not write .*/file: Input/output error"):
        atomic.write(tmp_path / "file", b"data")
    assert names(tmp_path) == []


def test_a_file_in_the_way_of_a_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(HarnessError, match="Could not write"):
        atomic.write(tmp_path / "file" / "below", b"data")


def test_publish_first_wins(tmp_path: Path) -> None:
    path = tmp_path / "done" / "0"
    assert atomic.publish(path, b"first")
    assert not atomic.publish(path, b"second")
    assert path.read_bytes() == b"first"
    assert names(tmp_path) == ["0", "done"]


def test_publish_knows_its_own_link_that_was_sent_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real_link = os.link

    def link_twice(source: Path, target: Path) -> None:
        real_link(source, target)
        real_link(source, target)

    monkeypatch.setattr(os, "link", link_twice)
    assert atomic.publish(tmp_path / "file", b"data")


@pytest.mark.parametrize("code", [errno.EOPNOTSUPP, errno.EPERM, errno.ENOSYS])
def test_publish_says_when_there_are_no_hard_links(code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "link", failing(code))
    with pytest.raises(HarnessError, match="has no hard links"):
        atomic.publish(tmp_path / "file", b"data")
    assert names(tmp_path) == []


def test_names_of_unfinished_files_are_known() -> None:
    assert atomic.is_temporary(".0123")
    assert not atomic.is_temporary("0")
