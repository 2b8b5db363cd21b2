"""Folders that are opened step by step without following links, so that root acts where it looked."""

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import NamedTuple

_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Folder(NamedTuple):
    """An open folder. ``path`` is for words and for commands of the account; root uses ``fd``."""

    path: Path
    fd: int

    def names(self) -> list[str]:
        return sorted(os.listdir(self.fd))  # noqa: PTH208  an open folder has no Path

    def owner(self, name: str) -> int:
        return os.stat(name, dir_fd=self.fd, follow_symlinks=False).st_uid

    def is_folder(self, name: str) -> bool:
        return stat.S_ISDIR(os.stat(name, dir_fd=self.fd, follow_symlinks=False).st_mode)


@contextlib.contextmanager
def opened(top: Path, below: str = ".") -> Iterator[Folder]:
    """Open the folder ``below`` a trusted one. OSError where a part of ``below`` is missing, a link or no folder."""
    fd = os.open(top, _FLAGS)
    try:
        for part in PurePath(below).parts:
            inner = os.open(part, _FLAGS, dir_fd=fd)
            os.close(fd)
            fd = inner
        yield Folder(top / below, fd)
    finally:
        os.close(fd)


@contextlib.contextmanager
def inner(folder: Folder, name: str) -> Iterator[Folder]:
    """Open one folder of an open folder."""
    fd = os.open(name, _FLAGS, dir_fd=folder.fd)
    try:
        yield Folder(folder.path / name, fd)
    finally:
        os.close(fd)


def free_name(name: str, taken: list[str]) -> str:
    """Return ``name.2``, ``name.3`` ...: the first that isn't taken."""
    number = 2
    while f"{name}.{number}" in taken:
        number += 1
    return f"{name}.{number}"
