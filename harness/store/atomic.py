"""Files that appear whole or not at all, also after a kill, a power cut or a full disk.

A file is written under a temporary name in its own folder, flushed to the disk and renamed; then the folder is flushed.
Temporary names start with a dot; readers skip them, since a killed writer may leave one behind.
"""

import contextlib
import errno
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from harness.errors import HarnessError, NoSpaceError

_FULL = {errno.ENOSPC, errno.EDQUOT}
_CLOSED = {errno.EROFS, errno.EACCES, errno.EPERM}
#: How link(2) is refused by filesystems that have no hard links.
NO_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS}


def is_temporary(name: str) -> bool:
    """Whether a file of this name is unfinished and to be skipped."""
    return name.startswith(".")


def write(path: Path, data: bytes) -> None:
    """Put a whole file at ``path``, in place of one that is there; makes missing folders.

    Raises NoSpaceError when the disk is full, else HarnessError; nothing half-written is left then.
    """
    with explained(path), _temporary(path, data) as temporary:
        temporary.replace(path)
        sync_folder(path.parent)


def publish(path: Path, data: bytes) -> bool:
    """Put a whole file at ``path`` unless one is there: among all writers on all nodes, the first wins.

    True: this call's file is the one at ``path``. Only link(2) decides: listings and stat may be stale on a shared
    filesystem. Raises as `write` does.
    """
    with explained(path), _temporary(path, data) as temporary:
        won = _link(temporary, path)
        sync_folder(path.parent)
        return won


def make_folder(path: Path) -> None:
    """Make a folder and those above it; each new name is flushed to the disk."""
    if path.is_dir():
        return
    make_folder(path.parent)
    path.mkdir(exist_ok=True)
    sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Flush a folder's names to the disk."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_filesystem(path: Path) -> None:
    """Flush everything on the filesystem of a file or folder: one call for any number of files; raises OSError."""
    import ctypes  # most commands flush no filesystem

    libc = ctypes.CDLL(None, use_errno=True)
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if libc.syncfs(handle) != 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code), str(path))
    finally:
        os.close(handle)


@contextlib.contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn an OSError under ``path`` into an error for people."""
    try:
        yield
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        if error.errno in _FULL:
            raise NoSpaceError(
                f"No space to write {path}: {reason}. Free space or a quota there, then run the same command again; "
                "what was written before is whole."
            ) from error
        if error.errno in _CLOSED:
            raise HarnessError(f"May not write {path}: {reason}. Make it writable or choose another.") from error
        raise HarnessError(f"Could not write {path}: {reason}.") from error


@contextlib.contextmanager
def _temporary(path: Path, data: bytes) -> Iterator[Path]:
    make_folder(path.parent)
    temporary = path.parent / f".{secrets.token_hex(8)}"
    try:
        _fill(temporary, data)
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def _fill(path: Path, data: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(handle, rest) :]
        os.fsync(handle)
    finally:
        os.close(handle)


def _link(temporary: Path, path: Path) -> bool:
    try:
        os.link(temporary, path)
    except FileExistsError:
        # An NFS client that sends its request twice is told "exists" by its own first one.
        return path.exists() and temporary.samefile(path)
    except OSError as error:
        if error.errno in NO_LINKS:
            raise HarnessError(
                f"Could not link {path}: the filesystem has no hard links, by which the first result of a task is "
                "chosen. Put the run folder on a filesystem that has them."
            ) from error
        raise
    return True
