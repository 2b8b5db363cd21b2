"""Going through a tree: each limit ends it, and names come back as they are."""

import os
from pathlib import Path

import attrs
import pytest

from harness.errors import StoreCorruptError
from harness.store.foreign import plain, trees
from harness.store.foreign.limits import Limits

LIMITS = Limits(file=100, total=300, entries=10, depth=3, name=20, path=40)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Two folders, two files of 100 bytes and one of 50."""
    (tmp_path / "top/a/b").mkdir(parents=True)
    for name, size in {"a/b/one": 100, "a/two": 100, "three": 50}.items():
        (tmp_path / "top" / name).write_bytes(bytes(size))
    return tmp_path / "top"


def test_a_tree_within_its_limits(tree: Path) -> None:
    assert sorted(entry.path for entry in trees.entries(tree, LIMITS)) == ["a", "a/b", "a/b/one", "a/two", "three"]
    assert sorted(entry.path for entry in trees.plain_files(tree, LIMITS)) == ["a/b/one", "a/two", "three"]


@pytest.mark.parametrize(
    ("limit", "value", "said"),
    [
        ("file", 99, "a file has 100 bytes; at most 99 are read"),
        ("total", 249, "more than 249 bytes together"),
        ("entries", 4, "more than 4 files and folders"),
        ("depth", 2, "nested more than 2 deep"),
        ("name", 4, "a name is too long"),
        ("path", 6, "a name is too long: 7 bytes"),
    ],
)
def test_each_limit_ends_it(tree: Path, limit: str, value: int, said: str) -> None:
    with pytest.raises(StoreCorruptError, match=said):
        list(trees.entries(tree, attrs.evolve(LIMITS, **{limit: value})))


def test_a_name_that_is_no_text_leads_back_to_its_file(tree: Path) -> None:
    (tree / os.fsdecode(b"\xff")).write_bytes(b"data")
    names = [entry.path for entry in trees.plain_files(tree, LIMITS)]
    assert any(plain.read(tree / name, 100) == b"data" for name in names)


def test_a_link_is_told_and_not_followed(tree: Path) -> None:
    (tree / "link").symlink_to("a")
    assert "link/two" not in [entry.path for entry in trees.entries(tree, LIMITS)]
    with pytest.raises(StoreCorruptError, match="link is a symbolic link"):
        list(trees.plain_files(tree, LIMITS))


def test_a_limit_of_nothing_is_none() -> None:
    with pytest.raises(ValueError, match="must be > 0"):
        attrs.evolve(LIMITS, total=0)


def test_a_folder_is_reached_through_no_link(tree: Path) -> None:
    with plain.folder_below(tree, ["a", "b"]) as handle:
        assert os.path.samestat(os.fstat(handle), (tree / "a/b").stat())
    (tree / "link").symlink_to("a")
    with pytest.raises(OSError, match="Not a directory"), plain.folder_below(tree, ["link", "b"]):
        pass


def test_no_more_is_read_than_is_allowed(tree: Path) -> None:
    assert plain.read(tree / "three", 50) == bytes(50)
    with pytest.raises(plain.TooLargeError, match="it has 50 bytes; at most 49 are read"):
        plain.read(tree / "three", 49)
