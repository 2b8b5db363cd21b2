"""What a run folder holds at one moment: the files that its archive carries.

The folders are listed against the order in which a run writes them (blobs, record, done/, the judge's calls, score,
summary). So where somebody is still writing, what a listed file names is listed as well: the archive then holds the run
as it was at that moment, whole.
"""

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import attrs

from harness.errors import StoreCorruptError
from harness.store import atomic, reading
from harness.store.archive import names
from harness.store.archive.descriptors import Facts
from harness.store.foreign import trees
from harness.store.references import Done, content_of
from harness.store.runfolder import RunFolder

_LISTED: Final = ("summary.json", "scores", "judge", "done", "attempts", "observed", "manifest.json")


@attrs.frozen
class Entry:
    """One file: its path relative to the run folder, and its bytes' number."""

    name: str
    size: int


@attrs.frozen
class Contents:
    """The files of a run, each part sorted by name."""

    run: RunFolder
    records: tuple[Entry, ...]
    blobs: tuple[Entry, ...]

    @classmethod
    def of(cls, run: RunFolder) -> "Contents":
        """List a run; raises StoreCorruptError for a file that doesn't belong there."""
        root = run.layout.root
        records = [entry for top in _LISTED for entry in _below(root, top, names.is_record)]
        blobs = _below(root, "blobs", names.is_blob)
        return cls(run, _sorted(records), _sorted(blobs))

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(entry.size for entry in (*self.records, *self.blobs))

    def facts(self) -> Facts:
        """What the archive says about the run in front; raises StoreCorruptError."""
        root, manifest = self.run.layout.root, self.run.manifest
        dones = [_done(root / entry.name) for entry in self.records if entry.name.startswith("done/")]
        return Facts(manifest.benchmark, manifest.model, manifest.identity, content_of(dones), len(dones))


def _sorted(entries: Iterator[Entry] | list[Entry]) -> tuple[Entry, ...]:
    return tuple(sorted(entries, key=lambda entry: entry.name))


def _below(root: Path, name: str, belongs: Callable[[str], bool]) -> Iterator[Entry]:
    """The finished files at or below a name in ``root``, in no order."""
    path = root / name
    try:
        status = path.lstat()
    except FileNotFoundError:  # a run without scores has no such folder
        return
    if not stat.S_ISDIR(status.st_mode):
        yield _entry(root, name, status, belongs)
        return
    with reading.corrupt(path):
        for found in trees.entries(path, reading.LIMITS):
            if not found.folder and not any(map(atomic.is_temporary, found.path.split("/"))):
                yield _entry(root, f"{name}/{found.path}", found.status, belongs)


def _entry(root: Path, name: str, status: os.stat_result, belongs: Callable[[str], bool]) -> Entry:
    if not stat.S_ISREG(status.st_mode) or not belongs(name):
        raise StoreCorruptError(f"{root / name} doesn't belong into a run folder.")
    return Entry(name, status.st_size)


def _done(path: Path) -> Done:
    with reading.corrupt(path):
        return Done.from_bytes(reading.read(path))
