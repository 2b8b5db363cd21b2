"""Reading a run folder's files and folders: damage is named with its path, unfinished files are passed over."""

import itertools
import os
import re
from pathlib import Path
from typing import Final

from harness.errors import CanonicalError, StoreCorruptError, UsageError
from harness.store import atomic
from harness.store.foreign import plain
from harness.store.foreign.limits import Limits
from harness.store.layout import decode_name

# Bytes. A gateway takes answers of 32 MiB, which a record holds as text (a lone surrogate has 7 letters in it and 6 in
# the answer), and of calls, half a kilobyte each, what half an hour lets through. A pack that nothing can compress is
# as long as what is in it (`harness.store.pack.UNPACKED_MAX`). Less would make what a model can say unreadable.
JSON_MAX: Final = 64 << 20
BLOB_MAX: Final = 352 << 20
# More rollouts than a run has; a folder of a million names is somebody's trick, and would be in memory as a whole.
ENTRIES_MAX: Final = 250_000
LIMITS: Final = Limits(file=BLOB_MAX, total=1 << 40, entries=8 * ENTRIES_MAX, depth=8)


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
            case plain.NotPlainError():
                said = f"{self._path} is no plain file: it doesn't belong into a run folder."
                raise StoreCorruptError(said) from error
            case OSError():
                raise StoreCorruptError(f"{self._path} can't be read: {error.strerror}.") from error
            case CanonicalError():
                raise StoreCorruptError(f"{self._path} is damaged: {error}") from error


def read(path: Path, most: int = JSON_MAX) -> bytes:
    """A file's bytes; raises StoreCorruptError where none is there, for anything but a plain file, and for more bytes
    than ``most``."""
    with corrupt(path):
        return plain.read(path, most)


def read_if_there(path: Path, most: int = JSON_MAX) -> bytes | None:
    """A file's bytes, None where none is there; raises StoreCorruptError as `read` does."""
    with corrupt(path):
        try:
            return plain.read(path, most)
        except FileNotFoundError:
            return None


def names(folder: Path) -> list[str]:
    """The finished files and folders in a folder, sorted; none where there is no folder.

    Raises StoreCorruptError for what is no folder, can't be read, or has far more in it than a run.
    """
    with corrupt(folder):
        try:
            with os.scandir(folder) as entries:
                found = [entry.name for entry in itertools.islice(entries, ENTRIES_MAX + 1)]
        except FileNotFoundError:
            return []
    if len(found) > ENTRIES_MAX:
        raise StoreCorruptError(f"{folder} is not read: it holds more than {ENTRIES_MAX:,} files and folders.")
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
