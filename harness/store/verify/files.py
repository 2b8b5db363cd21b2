"""Checking which files are there, the blobs, and what is true of a place and time."""

import stat
from collections.abc import Iterator
from pathlib import Path

from harness.errors import CanonicalError, StoreCorruptError
from harness.store import reading
from harness.store.digests import file_digest, parse_digest
from harness.store.layout import NAMES
from harness.store.runfolder import RunFolder
from harness.store.sealed import unseal
from harness.store.verify.findings import Findings


def check(run: RunFolder, found: Findings) -> None:
    """The names at the top, blobs, observed/ and the summary."""
    root = run.layout.root
    strangers = [root / name for name in reading.names(root) if name not in NAMES]
    strangers += [path for path in reading.entries(root / "blobs") if path != run.blobs.folder]
    found.problems += [f"{path} doesn't belong into a run folder." for path in strangers]
    for path in walk(run.blobs.folder, found):
        with found.noted():
            _check_blob(path, found)
    found.names(run, run.layout.manifest, {run.manifest.tasks})
    for path in walk(run.layout.observed, found):
        with found.noted():
            _check_observed(run, path)
    if (root / "summary.json").exists():
        with found.noted():
            read_sealed(root / "summary.json")


def walk(folder: Path, found: Findings) -> Iterator[Path]:
    """Every finished plain file below a folder, sorted; anything else but folders is a problem."""
    for path in reading.entries(folder):
        mode = path.lstat().st_mode
        if stat.S_ISDIR(mode):
            yield from walk(path, found)
        elif stat.S_ISREG(mode):
            yield path
        else:
            found.problems.append(f"{path} is no plain file: it doesn't belong into a run folder.")


def read_sealed(path: Path) -> dict[str, object]:
    """A sealed file's object; raises StoreCorruptError."""
    with reading.corrupt(path):
        return unseal(path.read_bytes())


def _check_blob(path: Path, found: Findings) -> None:
    try:
        name = parse_digest(path.name)
    except CanonicalError as error:
        raise StoreCorruptError(f"{path} doesn't belong into a run folder.") from error
    with reading.corrupt(path):
        sha256 = file_digest(path)
    if sha256 != name:
        found.damaged.add(name)
        raise StoreCorruptError(f"The blob {path} was changed: its SHA-256 is {sha256}. Restore it from a copy.")
    found.blobs.add(name)


def _check_observed(run: RunFolder, path: Path) -> None:
    if path.parent != run.layout.observed or path.suffix != ".json":
        raise StoreCorruptError(f"{path} doesn't belong into a run folder.")
    value = read_sealed(path)
    if value.get("manifest", run.identity) != run.identity:
        raise StoreCorruptError(
            f"{path} belongs to the run {value['manifest']}, but this is {run.identity} by {run.layout.manifest}."
        )
