"""``harness archive``: one run folder to one archive, which appears whole or not at all."""

import filecmp
from pathlib import Path

import attrs

from harness.errors import HarnessError, StoreCorruptError, UsageError
from harness.store import atomic
from harness.store.archive import unfinished
from harness.store.archive.contents import Contents
from harness.store.archive.sinks import FolderSink, NoSink, TarSink
from harness.store.archive.writing import Written, write
from harness.store.runfolder import RunFolder
from harness.store.space import check_space
from harness.store.verify import verify

# A layer's headers and paddings beside its files: 1 KiB for each is more than there is.
_ROOM = 1024


@attrs.frozen
class Archived:
    """An archive and where it is; ``new`` is False where the very same one was there before."""

    written: Written
    new: bool


def archive(source: Path, target: Path, *, folder: bool = False) -> Archived:
    """Write the run in ``source`` to ``target``: one tar file, or with ``folder`` an OCI image layout in a folder.

    Raises StoreCorruptError for a damaged run, of which nothing is written; UsageError where ``target`` is something
    else already; and as `harness.store.atomic` does.
    """
    _check_place(source, target)
    contents = listed(source)
    atomic.make_folder(target.parent)
    check_space(target.parent, contents.size + _ROOM * len(contents.records + contents.blobs))
    with atomic.explained(target), unfinished.beside(target, "archive") as made:
        written = _write_folder(contents, made) if folder else _write_file(contents, made)
        new = not is_there(target) and unfinished.put(made, target)
        if not new and not same(made, target):
            raise UsageError(f"{target} is there already and holds something else. Name another, or delete it.")
    return Archived(written, new=new)


def described(source: Path, *, stated: bool = True) -> Written:
    """What `archive` would write, without writing it; ``stated`` as for `write`. Raises StoreCorruptError."""
    return write(listed(source), NoSink(), stated=stated)


def listed(source: Path) -> Contents:
    """The files of a run, which is checked as a whole: what can't be taken back is no archive."""
    run = RunFolder.open(source)
    contents = Contents.of(run)
    problems = verify(run)
    if problems and Contents.of(run) != contents:
        # A check reads one folder after the other, so what comes in between may seem to be too much or missing.
        raise HarnessError(f"Somebody is writing to {source}. Archive it again when they have ended.")
    if problems:
        raise StoreCorruptError("\n".join([f"{source} is damaged, so it can't be archived:", *problems]))
    return contents


def same(one: Path, other: Path) -> bool:
    """Whether two files, or two folders, hold the same bytes under the same names."""
    if not one.is_dir() or not other.is_dir():
        return one.is_file() and other.is_file() and filecmp.cmp(one, other, shallow=False)
    files = [{path.relative_to(top) for path in top.rglob("*") if not path.is_dir()} for top in (one, other)]
    return files[0] == files[1] and all(filecmp.cmp(one / path, other / path, shallow=False) for path in files[0])


def _check_place(source: Path, target: Path) -> None:
    if target.resolve().is_relative_to(source.resolve()):
        raise UsageError(f"{target} is inside the run folder, which holds nothing but the run. Name another place.")


def is_there(target: Path) -> bool:
    """Whether something is at a place; an empty folder is as good as nothing."""
    return target.exists() and not (target.is_dir() and next(target.iterdir(), None) is None)


def _write_file(contents: Contents, path: Path) -> Written:
    with path.open("xb") as file:
        return write(contents, TarSink.begin(file))


def _write_folder(contents: Contents, path: Path) -> Written:
    path.mkdir()
    return write(contents, FolderSink(path))
