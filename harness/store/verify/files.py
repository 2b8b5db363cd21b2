"""Checking which files are there, the blobs, and what is true of a place and time."""

import contextlib
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from harness.errors import CanonicalError, StoreCorruptError
from harness.store import reading
from harness.store.digests import file_digest, parse_digest
from harness.store.fields import Fields
from harness.store.layout import NAMES
from harness.store.runfolder import RunFolder
from harness.store.sealed import unseal
from harness.store.verify.findings import Findings


def check(run: RunFolder, found: Findings) -> None:
    """The names at the top and what they are, the plan, blobs, observed/ and the summary."""
    root = run.layout.root
    _check_kinds(run, found)
    strangers = [root / name for name in reading.names(root) if name not in NAMES]
    strangers += [path for path in listed(root / "blobs", found) if path != run.blobs.folder]
    found.problems += [f"{path} doesn't belong into a run folder." for path in strangers]
    with found.noted(), reading.corrupt(run.layout.manifest):
        _ = run.manifest.planned
    for path in walk(run.blobs.folder, found, 1):
        with found.noted():
            _check_blob(path, found)
    found.names(run, run.layout.manifest, {run.manifest.tasks})
    for path in walk(run.layout.observed, found, 1):
        with found.noted():
            _check_observed(run, path, found)
    summary = root / "summary.json"
    if summary.exists() and summary not in found.bad:
        with found.noted():
            _check_summary(run, summary, found)


def walk(folder: Path, found: Findings, levels: int) -> Iterator[Path]:
    """Every finished plain file at most so many levels below a folder, sorted; anything else is a problem."""
    for path in listed(folder, found):
        with found.noted(path), contextlib.suppress(FileNotFoundError):  # taken since it was listed, by a collector
            mode = path.lstat().st_mode
            if stat.S_ISDIR(mode) and levels > 1:
                yield from walk(path, found, levels - 1)
            elif stat.S_ISREG(mode):
                yield path
            else:
                raise StoreCorruptError(f"{path} is no plain file: it doesn't belong into a run folder.")


def listed(folder: Path, found: Findings) -> list[Path]:
    """What is in a folder; nothing, and a problem, where it can't be read."""
    if folder not in found.bad:
        with found.noted(folder):
            return reading.entries(folder)
    return []


def read_sealed(path: Path) -> dict[str, Any]:
    """A sealed file's object; raises StoreCorruptError."""
    data = reading.read(path)
    with reading.corrupt(path):
        return unseal(data)


def _check_kinds(run: RunFolder, found: Findings) -> None:
    """What stands at the top is a folder or a plain file, each as it should be, and no link."""
    for path in (*(run.layout.root / name for name in sorted(NAMES)), run.blobs.folder):
        if path.parent in found.bad:
            found.bad.add(path)
        with found.noted(path), contextlib.suppress(FileNotFoundError, NotADirectoryError):
            mode = path.lstat().st_mode
            if path.suffix and not stat.S_ISREG(mode):
                raise StoreCorruptError(f"{path} is no plain file: it doesn't belong into a run folder.")
            if not path.suffix and not stat.S_ISDIR(mode):
                raise StoreCorruptError(f"{path} is no folder: it doesn't belong into a run folder.")


def _check_blob(path: Path, found: Findings) -> None:
    try:
        name = parse_digest(path.name)
    except CanonicalError as error:
        raise StoreCorruptError(f"{path} doesn't belong into a run folder.") from error
    try:
        with reading.corrupt(path):
            sha256 = file_digest(path, reading.BLOB_MAX)
    except StoreCorruptError:
        if not path.exists():  # a collector has taken it since it was listed; if anything names it, that is found
            return
        raise
    if sha256 != name:
        found.damaged.add(name)
        raise StoreCorruptError(
            f"The blob {path} was changed: its SHA-256 is {sha256}. Restore it from a copy of the run."
        )
    found.blobs.add(name)


def _check_observed(run: RunFolder, path: Path, found: Findings) -> None:
    if path.parent != run.layout.observed or path.suffix != ".json":
        raise StoreCorruptError(f"{path} doesn't belong into a run folder.")
    value = read_sealed(path)
    with reading.corrupt(path):
        _check_run(run, value)
        about = Fields(value, "what was observed")
        if "started_ns" in value:
            about.nanoseconds("started_ns")
        if "scorer" in value:
            found.names(run, path, {about.digest("scorer")})
        if "benchmark_file" in value:
            found.names(run, path, {about.digest("benchmark_file")})


def _check_summary(run: RunFolder, path: Path, found: Findings) -> None:
    value = read_sealed(path)
    with reading.corrupt(path):
        _check_run(run, value)
        found.names(run, path, {Fields(value, "the summary").digest("scorer")})


def _check_run(run: RunFolder, value: Mapping[str, Any]) -> None:
    if value.get("manifest", run.identity) != run.identity:
        raise CanonicalError(
            f"It belongs to the run {value['manifest']}, but this is {run.identity} by {run.layout.manifest}."
        )
