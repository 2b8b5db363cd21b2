"""Reading a run folder's files and folders: damage is named with its path, unfinished files are passed over."""

import errno
import io
import os
import re
import stat
from pathlib import Path

from harness.errors import CanonicalError, StoreCorruptError, UsageError
from harness.store import atomic
from harness.store.layout import decode_name

_NOT_PLAIN = "{} is no plain file: it doesn't belong into a run folder."


class corrupt:  # noqa: N801 - used as the function that a context manager usually is
    """Turn what goes wrong in reading a file into a StoreCorruptError that names it.

    A class, since a generator takes longer than all else that is done for a small file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        match error:
            case FileNotFoundError():
                raise StoreCorruptError(f"{self._path} is missing. Restore it from a copy of the run.") from error
            case OSError():
                raise StoreCorruptError(f"{self._path} can't be read: {error.strerror}.") from error
            case CanonicalError():
                raise StoreCorruptError(f"{self._path} is damaged: {error}") from error


def read(path: Path) -> bytes:
    """A file's bytes; raises StoreCorruptError where none is there, or anything but a plain file."""
    with corrupt(path):
        return _bytes(path)


def read_if_there(path: Path) -> bytes | None:
    """A file's bytes, None where none is there; raises StoreCorruptError for anything but a plain file."""
    with corrupt(path):
        try:
            return _bytes(path)
        except FileNotFoundError:
            return None


def _bytes(path: Path) -> bytes:
    # Without O_NONBLOCK a FIFO would be waited for. What a link leads to is not part of the run.
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        # What a link is opened with (ELOOP), and a socket or a device that nobody serves (ENXIO).
        if error.errno in (errno.ELOOP, errno.ENXIO):
            raise StoreCorruptError(_NOT_PLAIN.format(path)) from error
        raise
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise StoreCorruptError(_NOT_PLAIN.format(path))
        return io.FileIO(handle, closefd=False).readall()
    finally:
        os.close(handle)


def names(folder: Path) -> list[str]:
    """The finished files and folders in a folder, sorted; none where there is no folder.

    Raises StoreCorruptError for what is no folder, or can't be read.
    """
    with corrupt(folder):
        try:
            found = os.listdir(folder)  # noqa: PTH208 - paths of thousands of folders' entries take long to make
        except FileNotFoundError:
            return []
    return sorted(name for name in found if not atomic.is_temporary(name))


def entries(folder: Path) -> list[Path]:
    """The same as paths."""
    return [folder / name for name in names(folder)]


def json_names(folder: Path) -> list[str]:
    """The finished JSON files in a folder, sorted, without their ending."""
    return [name.removesuffix(".json") for name in names(folder) if name.endswith(".json")]


def tasks(folder: Path) -> list[tuple[str, Path]]:
    """The tasks that have a folder in ``folder``, sorted; raises StoreCorruptError for a name that is no task's."""
    return sorted((task_name(folder, name), folder / name) for name in names(folder))


def task_name(folder: Path, name: str) -> str:
    """A task's id from its folder's name; raises StoreCorruptError for any other name."""
    try:
        return decode_name(name)
    except UsageError as error:
        raise StoreCorruptError(f"{folder / name} doesn't belong into a run folder.") from error


def number(folder: Path, name: str) -> int:
    """A repeat's or a judge call's number from a file's or folder's name; raises StoreCorruptError for any other."""
    if re.fullmatch(r"0|[1-9][0-9]{0,8}", name) is None:
        raise StoreCorruptError(f"{folder / name} doesn't belong into a run folder.")
    return int(name)
