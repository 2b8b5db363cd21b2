"""Reading the files of a run folder: only plain ones, and nothing is waited for."""

import os
import socket
from pathlib import Path

import pytest

from harness.errors import StoreCorruptError
from harness.store import reading


def test_bytes_come_whole(tmp_path: Path) -> None:
    data = bytes(range(256)) * 10_000
    (tmp_path / "file").write_bytes(data)
    assert reading.read(tmp_path / "file") == reading.read_if_there(tmp_path / "file") == data


def test_only_a_file_that_may_be_missing_is_none(tmp_path: Path) -> None:
    assert reading.read_if_there(tmp_path / "file") is None
    with pytest.raises(StoreCorruptError, match="file is missing"):
        reading.read(tmp_path / "file")


@pytest.mark.parametrize("kind", ["fifo", "link", "dangling", "folder", "socket"])
def test_what_is_no_plain_file_is_refused_at_once(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's name is short
    path, other = tmp_path / "path", tmp_path / "other"
    other.write_bytes(b"data")
    match kind:
        case "fifo":
            os.mkfifo(path)
        case "link":
            path.symlink_to(other)
        case "dangling":
            path.symlink_to("nothing")
        case "folder":
            path.mkdir()
        case "socket":
            with socket.socket(socket.AF_UNIX) as made:
                made.bind("path")
    for read in (reading.read, reading.read_if_there):
        with pytest.raises(StoreCorruptError, match="path is no plain file"):
            read(path)


def test_no_handle_is_left_open(tmp_path: Path) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(3):
        with pytest.raises(StoreCorruptError):
            reading.read(tmp_path)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_file_in_place_of_a_folder_is_damage_and_no_folder_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    assert reading.names(tmp_path / "none") == []
    with pytest.raises(StoreCorruptError, match="file can't be read: Not a directory"):
        reading.names(tmp_path / "file")
    with pytest.raises(StoreCorruptError, match="0 can't be read: Not a directory"):
        reading.read_if_there(tmp_path / "file" / "0")
