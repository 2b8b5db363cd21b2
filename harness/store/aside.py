"""Removing blobs while others may write: each is set aside under its name with a dot, looked at again, then removed."""

import contextlib
import os
import re
from collections.abc import Callable, Container, Iterable, Iterator
from typing import Final

BLOB: Final = re.compile(r"\.?[0-9a-f]{64}")  # with a dot it was set aside, maybe by a collector that was killed


def remove(names: Iterable[str], folder: int, before: float, mentioned: Callable[[], Container[str]]) -> set[str]:
    """Remove blobs from a folder (a handle of it), and those that were set aside before; the names that went.

    What ``mentioned`` tells by then, or was last written at ``before`` (seconds since 1970) or later, comes back; so
    does all where an error comes up. Raises OSError, and as ``mentioned`` does.
    """
    try:
        for name in names:
            _set_aside(name, folder)
        named = mentioned()
    except BaseException:
        for name in _set(folder):
            _give_back(name, folder)
        raise
    gone = set()
    for name in _set(folder):
        if name[1:] in named or _changed(name, folder) >= before:
            _give_back(name, folder)
        else:
            _unlink(name, folder)
            gone.add(name[1:])
    return gone


def _set(folder: int) -> Iterator[str]:
    yield from (name for name in os.listdir(folder) if name.startswith(".") and BLOB.fullmatch(name))


def _set_aside(name: str, folder: int) -> None:
    if not name.startswith("."):
        with contextlib.suppress(FileNotFoundError):
            os.rename(name, f".{name}", src_dir_fd=folder, dst_dir_fd=folder)


def _give_back(name: str, folder: int) -> None:
    with contextlib.suppress(FileExistsError, FileNotFoundError):  # it was written again meanwhile, or given back
        os.link(name, name[1:], src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    _unlink(name, folder)
    os.fsync(folder)


def _unlink(name: str, folder: int) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)


def _changed(name: str, folder: int) -> float:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False).st_mtime
    except FileNotFoundError:  # another collector's by now
        return 0.0
