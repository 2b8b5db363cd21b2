"""Reading a run folder's files and folders: damage is named with its path, unfinished files are passed over."""

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

from harness.errors import CanonicalError, StoreCorruptError, UsageError
from harness.store import atomic
from harness.store.layout import decode_name


@contextlib.contextmanager
def corrupt(path: Path) -> Iterator[None]:
    """Turn what goes wrong in reading a file into a StoreCorruptError that names it."""
    try:
        yield
    except FileNotFoundError as error:
        raise StoreCorruptError(f"{path} is missing. Restore it from a copy of the run.") from error
    except OSError as error:
        raise StoreCorruptError(f"{path} can't be read: {error.strerror}.") from error
    except CanonicalError as error:
        raise StoreCorruptError(f"{path} is damaged: {error}") from error


def names(folder: Path) -> list[str]:
    """The finished files and folders in a folder, sorted; none where there is no folder."""
    try:
        found = os.listdir(folder)  # noqa: PTH208 - paths of thousands of folders' entries take long to make
    except (FileNotFoundError, NotADirectoryError):
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
