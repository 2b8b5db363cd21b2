"""Comparing what is computed again with what a run folder holds, byte for byte; nothing is written or deleted."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs

from harness.errors import CanonicalError
from harness.run.rescoring.scoring import Row
from harness.store import atomic, reading
from harness.store.digests import Digest, parse_digest
from harness.store.foreign import trees
from harness.store.layout import encode_name
from harness.store.runfolder import RunFolder


@attrs.frozen(order=True)
class Difference:
    """A file that is not as it is computed again; ``what`` is ``missing``, ``extra`` or ``differs``."""

    path: str  # in the run folder
    what: str


def differences(run: RunFolder, scorer: Digest, rows: Sequence[Row], summary: bytes) -> list[Difference]:
    """Every difference, by path."""
    return sorted({*_scores(run, scorer, rows), *_extra(run, scorer, rows), *_summary(run, summary)})


def _scores(run: RunFolder, scorer: Digest, rows: Sequence[Row]) -> Iterator[Difference]:
    for row in rows:
        if row.differs:
            path = run.layout.score(scorer, row.item.task, row.item.repeat)
            yield _difference(run, path, "differs" if path.exists() else "missing")


def _extra(run: RunFolder, scorer: Digest, rows: Sequence[Row]) -> Iterator[Difference]:
    """Files among the scores that no rollout has, and what stands beside the scorers."""
    folder = run.layout.scores / scorer
    known = {f"{folder}/{encode_name(row.item.task)}/{row.item.repeat}.json" for row in rows if row.done is not None}
    for name in _files(str(folder)):
        if name not in known:
            yield _difference(run, Path(name), "extra")
    for path in run.layout.scores.iterdir() if run.layout.scores.is_dir() else ():
        if not atomic.is_temporary(path.name) and not _is_scorer(run, path):
            yield _difference(run, path, "extra")


def _is_scorer(run: RunFolder, path: Path) -> bool:
    try:
        return path.is_dir() and run.blobs.has(parse_digest(path.name))
    except CanonicalError:
        return False


def _summary(run: RunFolder, summary: bytes) -> Iterator[Difference]:
    path = run.layout.root / "summary.json"
    found = reading.read_if_there(path)
    if found is None:
        yield _difference(run, path, "missing")
    elif found != summary:
        yield _difference(run, path, "differs")


def _files(folder: str) -> Iterator[str]:
    """Everything but folders; unfinished files are passed over."""
    try:
        for entry in trees.entries(Path(folder), reading.LIMITS):
            if not entry.folder and not atomic.is_temporary(entry.path.rpartition("/")[2]):
                yield f"{folder}/{entry.path}"
    except (FileNotFoundError, NotADirectoryError):
        return


def _difference(run: RunFolder, path: Path, what: str) -> Difference:
    return Difference(str(path.relative_to(run.layout.root)), what)
