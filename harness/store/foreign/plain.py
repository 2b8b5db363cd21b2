"""Opening what others made as a plain file, and reading no more of it than is allowed.

Nothing is waited for (a FIFO may have no writer, a device no end), and what is said of a file is said of the open one:
whoever puts another in its place meanwhile, or lets it grow, gains nothing. A sparse file counts as if it were full.
Modes, owners, setuid bits and extended attributes are neither looked at nor kept.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

KINDS: Final = {
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a character device",
    stat.S_IFBLK: "a block device",
}

_FLAGS: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_PIECE: Final = 1 << 16


class NotPlainError(OSError):
    """Something else than a plain file stands there; ``strerror`` says what."""


class TooLargeError(OSError):
    """The file has more bytes than are read; ``strerror`` has both figures."""


def open_plain(path: Path | str, *, follow: bool = False, folder: int | None = None) -> tuple[int, os.stat_result]:
    """A handle of a plain file, for the caller to close, and what is true of it.

    Args:
        follow: a link as the last part of the path leads to the file: only for paths that the user gave.
        folder: a handle of the folder that a relative ``path`` starts from.

    Raises:
        NotPlainError: it is something else. OSError: it can't be opened.
    """
    try:
        handle = os.open(path, _FLAGS | (0 if follow else os.O_NOFOLLOW), dir_fd=folder)
    except OSError as error:
        if error.errno == errno.ELOOP and not follow:
            raise _not_plain(path, stat.S_IFLNK) from error
        if error.errno == errno.ENXIO:  # also a device that nobody serves
            raise _not_plain(path, stat.S_IFSOCK) from error
        raise
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        os.close(handle)
        raise _not_plain(path, stat.S_IFMT(status.st_mode))
    return handle, status


def read(path: Path | str, most: int, *, follow: bool = False) -> bytes:
    """All bytes of a plain file.

    Raises:
        TooLargeError: there are more than ``most``. NotPlainError, OSError: as `open_plain` does.
    """
    handle, status = open_plain(path, follow=follow)
    try:
        data = _bytes(handle, status.st_size, most + 1) if status.st_size <= most else b""
    finally:
        os.close(handle)
    size = max(status.st_size, len(data))
    if size > most:
        raise too_large(path, size, most)
    return data


def read_beginning(handle: int, most: int) -> bytes:
    """The first bytes of an open file, at most so many."""
    return _bytes(handle, os.fstat(handle).st_size, most)


def too_large(path: Path | str, size: int, most: int) -> TooLargeError:
    """What to raise for a file of ``size`` bytes where ``most`` are read."""
    return TooLargeError(errno.EFBIG, f"it has {size:,} bytes; at most {most:,} are read", str(path))


@contextlib.contextmanager
def folder_below(root: Path, parts: Sequence[str]) -> Iterator[int]:
    """A handle of ``root``, or of the folder that ``parts`` lead to from there, each a name: through no link, nor into
    another file system. Raises OSError."""
    handle = os.open(root, _FOLDER)
    try:
        device = os.fstat(handle).st_dev
        for name in parts:
            above = handle
            handle = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=above)
            os.close(above)
            if os.fstat(handle).st_dev != device:
                raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), str(root.joinpath(*parts)))
        yield handle
    finally:
        os.close(handle)


def _bytes(handle: int, size: int, most: int) -> bytes:
    """Up to ``most`` bytes from the handle's position; ``size`` is what is expected."""
    pieces = list[bytes]()
    ask = min(size + 1, most)  # one more, so that the end is found by the same call
    while most and (piece := os.read(handle, min(ask, most))):
        pieces.append(piece)
        most -= len(piece)
        ask = _PIECE
    return b"".join(pieces)


def _not_plain(path: Path | str, kind: int) -> NotPlainError:
    return NotPlainError(errno.EINVAL, f"it is {KINDS.get(kind, 'something else')}, and no plain file", str(path))
