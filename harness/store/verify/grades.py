"""Checking what the judge said and the scores that rest on it."""

from pathlib import Path

from harness.errors import CanonicalError, StoreCorruptError
from harness.store import judge_call, reading
from harness.store.digests import Digest, parse_digest
from harness.store.grades import judge_blobs, read_judge_call
from harness.store.runfolder import RunFolder
from harness.store.score import Score
from harness.store.verify.attempts import place
from harness.store.verify.files import listed, read_sealed, walk
from harness.store.verify.findings import Findings


def check(run: RunFolder, found: Findings) -> None:
    """judge/ and scores/."""
    for path in walk(run.layout.judge, found, 2):
        with found.noted(path):
            _check_call(run, path, found)
    for folder in listed(run.layout.scores, found):
        with found.noted(folder):
            found.names(run, folder, {_scorer(folder)})
        for path in walk(folder, found, 2):
            with found.noted():
                _check_score(run, folder, path, found)


def _check_call(run: RunFolder, path: Path, found: Findings) -> None:
    if len(path.relative_to(run.layout.judge).parts) != 2 or path.suffix != ".json":
        raise StoreCorruptError(f"{path} doesn't belong into a run folder.")
    reading.number(path.parent, path.stem)
    if found.names(run, path, judge_blobs(path)):
        call = read_judge_call(path, run.blobs)
        with reading.corrupt(path):
            judge_call.check(call)


def _scorer(folder: Path) -> Digest:
    if folder.is_symlink() or not folder.is_dir():
        raise StoreCorruptError(f"{folder} is no folder: it doesn't belong into a run folder.")
    try:
        return parse_digest(folder.name)
    except CanonicalError as error:
        raise StoreCorruptError(f"{folder} doesn't belong into a run folder.") from error


def _check_score(run: RunFolder, folder: Path, path: Path, found: Findings) -> None:
    task, repeat = place(path, folder, 2)
    with reading.corrupt(path):
        score = Score.from_json(read_sealed(path))
    # A rollout may have come to count after done/ was listed.
    counts = (task, repeat) in found.counted or run.layout.done(task, repeat).is_file()
    if path.suffix != ".json" or not counts:
        raise StoreCorruptError(f"{path} is the score of a rollout that isn't there.")
    if score.judge is not None and score.judge.number is not None:
        call = run.layout.judge_call(score.judge.request, score.judge.number)
        if not call.is_file():
            raise StoreCorruptError(f"{call} is missing; {path} rests on it. Restore it from a copy of the run.")
