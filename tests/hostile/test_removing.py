"""A tree of whatever kind goes as a whole when a scratch folder is removed, and nothing beside it."""

import os
from pathlib import Path

import pytest

from harness.store.foreign import removing
from tests.hostile import trees
from tests.hostile.conftest import Reader


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    (tmp_path / "scratch").mkdir()
    return tmp_path / "scratch"


def test_folders_in_folders(read: Reader, scratch: Path) -> None:
    trees.deep(scratch, 5000)
    assert read("remove", scratch)["read"] is False


def test_as_many_entries_as_a_sandbox_can_make(read: Reader, scratch: Path) -> None:
    trees.many(scratch / "many", 50_000)
    assert read("remove", scratch)["read"] is False


def test_what_links_lead_to_stays(read: Reader, scratch: Path) -> None:
    (scratch.parent / "kept").mkdir()
    (scratch.parent / "kept/file").write_bytes(b"kept")
    (scratch / "link").symlink_to(scratch.parent / "kept")
    (scratch / "hard").hardlink_to(scratch.parent / "kept/file")
    (scratch / "below").mkdir()
    (scratch / "below/link").symlink_to("../../kept")
    assert read("remove", scratch)["read"] is False
    assert (scratch.parent / "kept/file").read_bytes() == b"kept"


def test_names_and_kinds_of_every_sort(read: Reader, scratch: Path) -> None:
    for name in (b"\xff", b"-rf", b"\x1b[2J", b" ", b"*", b"n" * 255, "\u202e".encode()):
        inner = Path(os.fsdecode(os.fsencode(scratch) + b"/" + name))
        inner.mkdir()
        os.mkfifo(inner / "fifo")
        trees.unix_socket(inner / "socket")
        trees.sparse(8 << 40)(inner / "sparse")
    assert read("remove", scratch)["read"] is False


def test_folders_that_nobody_may_enter(scratch: Path) -> None:
    """As their owner without privileges has it; root is asked by no mode."""
    for mode in (0o000, 0o100, 0o444, 0o555):
        (scratch / f"{mode}/inner").mkdir(parents=True)
        (scratch / f"{mode}/inner/file").write_bytes(b"")
        (scratch / f"{mode}/inner").chmod(mode)
        (scratch / f"{mode}").chmod(mode)
    scratch.chmod(0o555)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            if os.geteuid() == 0:
                os.lchown(scratch.parent, 65534, 65534)
                for above, folders, files in os.walk(scratch.parent):
                    for name in (*folders, *files):
                        os.lchown(Path(above, name), 65534, 65534)
                scratch.parent.chmod(0o700)
                os.chdir(scratch.parent)
                os.setgroups([])
                os.setresgid(65534, 65534, 65534)
                os.setresuid(65534, 65534, 65534)
            else:
                os.chdir(scratch.parent)
            removing.remove("scratch", os.open(".", os.O_RDONLY))
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    assert not scratch.exists()


def test_a_file_that_is_not_there_is_as_good_as_gone(scratch: Path) -> None:
    removing.remove(scratch / "none")
    (scratch / "file").write_bytes(b"")
    removing.remove(scratch / "file")
    assert not (scratch / "file").exists()


def test_what_can_not_go_is_told_and_the_rest_goes(scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b", "c"):
        (scratch / "inner").mkdir(exist_ok=True)
        (scratch / "inner" / name).write_bytes(b"")
    unlink = os.unlink

    def stubborn(path: str, *, dir_fd: int | None = None) -> None:
        if path == "b":
            raise PermissionError(1, "Operation not permitted", path)
        unlink(path, dir_fd=dir_fd)

    monkeypatch.setattr(os, "unlink", stubborn)
    with pytest.raises(PermissionError):
        removing.remove(scratch)
    assert [path.name for path in scratch.rglob("*") if path.is_file()] == ["b"]
