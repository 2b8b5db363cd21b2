"""NARs: the very bytes that Nix makes, and what has no place in one."""

import os
from pathlib import Path

import pytest

from harness.pins import nar


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder with a file of each kind, of one whose NAR needs no padding, and names whose order depends on bytes."""
    top = tmp_path / "tree"
    (top / "folder/empty").mkdir(parents=True)
    (top / "plain").write_bytes(b"12345678")
    (top / "tool").write_bytes(b"#!/bin/sh\n")
    (top / "tool").chmod(0o755)
    (top / "link").symlink_to("../nowhere")
    (top / "folder/B").write_bytes(b"")
    (top / "folder/a").write_bytes(b"x" * (nar.PIECE + 3))
    return top


# What `nix hash path` of Nix 2.8.0 said of this tree.
TREE = "3799f45fdf965098cc7d1f0ee8ef50a6e894d3af115386177345ec3fe816dcd5"


def test_it_is_the_nar_of_nix(tree: Path) -> None:
    assert nar.digest(tree) == TREE


def test_what_nix_does_not_keep_does_not_count(tree: Path) -> None:
    for path in (tree, tree / "plain", tree / "folder/a"):
        os.utime(path, (1, 1))
    (tree / "plain").chmod(0o600)
    (tree / "tool").chmod(0o700)
    assert nar.digest(tree) == TREE


def test_a_file_that_can_be_executed_is_another_one(tree: Path) -> None:
    (tree / "plain").chmod(0o755)
    assert nar.digest(tree) != TREE


def test_a_file_alone(tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(b"one\n")
    assert b"".join(nar.pieces(tmp_path / "one")) == (
        b"\x0d\0\0\0\0\0\0\0nix-archive-1\0\0\0"
        b"\x01\0\0\0\0\0\0\0(\0\0\0\0\0\0\0"
        b"\x04\0\0\0\0\0\0\0type\0\0\0\0\x07\0\0\0\0\0\0\0regular\0"
        b"\x08\0\0\0\0\0\0\0contents\x04\0\0\0\0\0\0\0one\n\0\0\0\0"
        b"\x01\0\0\0\0\0\0\0)\0\0\0\0\0\0\0"
    )


def test_what_is_neither_file_nor_folder_nor_link(tree: Path) -> None:
    os.mkfifo(tree / "pipe")
    with pytest.raises(OSError, match="pipe is neither file nor folder nor link"):
        nar.digest(tree)
