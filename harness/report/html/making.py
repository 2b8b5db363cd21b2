"""One report: where it goes, and what was written."""

import os
import re
from pathlib import Path
from typing import Final

import attrs

from harness.errors import UsageError
from harness.report.export.exporting import outside
from harness.report.export.files import outputs
from harness.report.html import writing
from harness.run.rows import Looked
from harness.store import atomic
from harness.store.archive import unfinished
from harness.store.canonical import JSON

NAME: Final = "report.html"
_OURS: Final = '<meta name="generator" content="hermetic-harness">'
_PAGE: Final = re.compile(r"rollouts-[0-9]+\.html")
_IMAGE: Final = re.compile(r"[0-9a-f]{64}\.[a-z]+")


@attrs.frozen(kw_only=True)
class Wanted:
    """What is asked for: a folder, or a file, RUN/report.html where none is named.

    ``replace`` allows another file there, or another report's folder, to go.
    """

    out: Path | None = None
    assets: Path | None = None
    scorer: str | None = None
    replace: bool = False


def make(run: Path, wanted: Wanted, told: writing.Told = writing.nothing) -> dict[str, JSON]:
    """Write a report and say what was written: the object that ``--json`` prints. ``told`` hears how far it is.

    Raises UsageError where there is no run or something else stands in its place, StoreCorruptError for damage,
    NoSpaceError or HarnessError where it can't be written; then nothing was touched.
    """
    if wanted.out is not None and wanted.assets is not None:
        raise UsageError("--out names a file and --assets a folder: give one of them.")
    looked = Looked.open(run, wanted.scorer)
    if wanted.assets is not None:
        outside(run, wanted.assets)
        path, (written, size) = wanted.assets, _folder(looked, wanted.assets, told, replace=wanted.replace)
    else:
        path = wanted.out or run / NAME
        derived = outside(run, path, NAME)
        written, size = _file(looked, path, told, replace=wanted.replace or derived)
    return {
        "run": str(run),
        "path": str(path),
        "manifest": looked.run.identity,
        "scorer": looked.scorer.digest if looked.scorer else None,
        "rollouts": written.rollouts,
        "images": written.images,
        "pages": written.pages,
        "bytes": size,
    }


def _file(looked: Looked, path: Path, told: writing.Told, *, replace: bool) -> tuple[writing.Written, int]:
    with outputs(replace=replace) as files:
        output = files.begin(path)
        written = writing.write_file(looked, output, path.parent, told)
    return written, path.stat().st_size


def _folder(looked: Looked, folder: Path, told: writing.Told, *, replace: bool) -> tuple[writing.Written, int]:
    """Made beside its place, and put there when it is whole."""
    there = _check(folder, replace=replace)
    with atomic.explained(folder):
        atomic.make_folder(folder.parent)
        with unfinished.beside(folder, "export") as new, unfinished.beside(folder, "export") as old:
            new.mkdir()
            written = writing.write_folder(looked, new, told)
            size = sum(path.stat().st_size for path in new.rglob("*") if path.is_file())
            if there:
                folder.rename(old)
            if not _put(new, folder, old):
                raise UsageError(f"{folder} has come up meanwhile. Name another folder with --assets.")
    return written, size


def _put(new: Path, folder: Path, old: Path) -> bool:
    """Give the new folder its name; where that fails, the old one has it again."""
    try:
        return unfinished.put(new, folder)
    except OSError:
        if old.exists():
            old.rename(folder)
        raise


def _check(folder: Path, *, replace: bool) -> bool:
    """Whether a report is there that may go; raises UsageError for anything else but an empty folder."""
    if not os.path.lexists(folder):
        return False
    if not folder.is_dir() or folder.is_symlink():
        raise UsageError(f"{folder} is no folder. Name another with --assets.")
    if folder.samefile(os.curdir):  # another one comes in its place, and its user would be left in one that is gone
        raise UsageError(f"{folder} is the folder you are in. Name another with --assets.")
    if not any(folder.iterdir()):
        return False
    if not _is_report(folder):
        raise UsageError(f"{folder} holds other files than a report's. Name another folder with --assets.")
    if not replace:
        raise UsageError(f"{folder} holds a report. Name another folder with --assets, or --force to replace it.")
    return True


def _is_report(folder: Path) -> bool:
    """Whether there is a report and nothing else, so that nobody's files go with it."""
    index, images = folder / writing.INDEX, folder / writing.IMAGES
    if not all(path in (index, images) or _PAGE.fullmatch(path.name) for path in folder.iterdir()):
        return False
    if images.is_symlink() or not all(_IMAGE.fullmatch(path.name) for path in images.glob("*")):
        return False
    if not index.is_file():
        return False
    with index.open("rb") as file:
        return _OURS.encode() in file.read(4096)
