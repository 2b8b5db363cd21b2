"""Going through a tree that others made: through no link, into no other file system, and never beyond its limits."""

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import attrs

from harness.errors import StoreCorruptError
from harness.store.foreign.limits import Count, Limits
from harness.store.foreign.plain import KINDS

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


@attrs.frozen
class Entry:
    """Something in a tree. ``path`` is relative to its top; bytes of a name that are no UTF-8 stand in it as Python
    writes them (surrogateescape), so that it leads back to the file."""

    path: str
    status: os.stat_result = attrs.field(repr=False)

    @property
    def folder(self) -> bool:
        return stat.S_ISDIR(self.status.st_mode)

    @property
    def plain(self) -> bool:
        return stat.S_ISREG(self.status.st_mode)

    @property
    def kind(self) -> str:
        """In words."""
        return KINDS.get(stat.S_IFMT(self.status.st_mode), "a plain file")


def entries(top: Path, limits: Limits) -> Iterator[Entry]:
    """Everything below a folder, of whatever kind, each folder before what is in it; in no order beside that.

    Raises StoreCorruptError beyond a limit, or where another file system is mounted; OSError where it can't be read.
    """
    count = Count(limits)
    handle = os.open(top, _FOLDER)
    try:
        yield from _below(top, "", handle, os.fstat(handle).st_dev, count)
    finally:
        os.close(handle)


def _below(top: Path, where: str, handle: int, device: int, count: Count) -> Iterator[Entry]:
    # Not deeper than the limit says, so neither Python's stack nor the handles run out.
    with os.scandir(handle) as found:
        for each in found:
            with contextlib.suppress(FileNotFoundError):  # what goes meanwhile, a writer's temporary file say
                entry = Entry(where + each.name, each.stat(follow_symlinks=False))
                _check(top, entry, device, count)
                if not entry.folder:
                    yield entry
                    continue
                inner = os.open(each.name, _FOLDER | os.O_NOFOLLOW, dir_fd=handle)
                try:
                    yield entry
                    yield from _below(top, f"{entry.path}/", inner, device, count)
                finally:
                    os.close(inner)


def _check(top: Path, entry: Entry, device: int, count: Count) -> None:
    beyond = count.add(os.fsencode(entry.path), entry.status.st_size if entry.plain else 0)
    if beyond is None and entry.status.st_dev != device:
        beyond = f"another file system is mounted at {entry.path!r}"
    if beyond is not None:
        raise StoreCorruptError(f"{top} is not read any further: {beyond}.")


def plain_files(top: Path, limits: Limits) -> Iterator[Entry]:
    """The files below a folder; raises StoreCorruptError, as `entries` does and for all but plain files and folders."""
    for entry in entries(top, limits):
        if entry.plain:
            yield entry
        elif not entry.folder:
            raise StoreCorruptError(
                f"{top / entry.path} is {entry.kind}: only plain files and folders are read. Put there what it stands "
                "for, or remove it."
            )
