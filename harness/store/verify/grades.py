"""Checking what the judge said and the scores that rest on it."""

from pathlib import Path

from harness.errors import CanonicalError, StoreCorruptError
from harness.store import reading
from harness.store.digests import Digest, parse_digest
from harness.store.grades import judge_blobs, read_judge_call
from harness.store.runfolder import RunFolder
from harness.store.verify.attempts import place
from harness.store.verify.files import read_sealed, walk
from harness.store.verify.findings import Findings


def check(run: RunFolder, found: Findings) -> None:
    """judge/ and scores/."""
    for path in walk(run.layout.judge, found):
        with found.noted(path):
            _check_call(run, path, found)
    for folder in reading.entries(run.layout.scores):
        with found.noted():
            found.names(run, folder, {_scorer(folder)})
        for path in walk(folder, found) if folder.is_dir() else ():
            with found.noted():
                _check_score(run, folder, path, found)


def _check_call(run: RunFolder, path: Path, found: Findings) -> None:
    if len(path.relative_to(run.layout.judge).parts) != 2 or path.suffix != ".json":
        raise StoreCorruptError(f"{path} doesn't belong into a run folder.")
    reading.number(path.parent, path.stem)
    if found.names(run, path, judge_blobs(path)):
        read_judge_call(path, run.blobs)


def _scorer(folder: Path) -> Digest:
    try:
        return parse_digest(folder.name)
    except CanonicalError as error:
        raise StoreCorruptError(f"{folder} doesn't belong into a run folder.") from error


def _check_score(run: RunFolder, folder: Path, path: Path, found: Findings) -> None:
    task, repeat = place(path, folder, 2)
    score = read_sealed(path)
    # A rollout may have come to count after done/ was listed.
    counts = (task, repeat) in found.counted or run.layout.done(task, repeat).is_file()
    if path.suffix != ".json" or not counts:
        raise StoreCorruptError(f"{path} is the score of a rollout that isn't there.")
    match score.get("judge"):
        case {"request": str(request), "number": int(number)}:
            call = run.layout.judge_call(_named(path, request), number)
            if not call.is_file():
                raise StoreCorruptError(f"{call} is missing; {path} rests on it. Restore it from a copy of the run.")


def _named(path: Path, value: str) -> Digest:
    with reading.corrupt(path):
        return parse_digest(value)
