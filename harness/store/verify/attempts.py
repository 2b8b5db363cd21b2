"""Checking the records, every byte of their bodies, and what says that they count."""

from pathlib import Path

from harness.errors import CanonicalError, StoreCorruptError
from harness.store import reading
from harness.store.replay import Replay
from harness.store.runfolder import RunFolder
from harness.store.verify.files import walk
from harness.store.verify.findings import Findings


def check(run: RunFolder, found: Findings) -> None:
    """attempts/ and done/."""
    measured = set[tuple[str, int]]()
    plan = _plan(run)
    for path in walk(run.layout.attempts, found, 3):
        with found.noted(path):
            task, repeat = place(path, run.layout.attempts, 3)
            if not _check_attempt(run, path, task, repeat, found):
                measured.add((task, repeat))
    for path in walk(run.layout.dones, found, 2):
        with found.noted():
            task, repeat = place(path, run.layout.dones, 2)
            found.counted.add((task, repeat))
            _check_done(run, task, repeat, found)
            if plan is not None and (task not in plan[0] or repeat >= plan[1]):
                raise StoreCorruptError(f"{path} counts, and {run.layout.manifest} doesn't plan that rollout.")
    found.unpublished = len(measured - found.counted)


def _plan(run: RunFolder) -> tuple[frozenset[str], int] | None:
    """The plan's tasks and number of repeats; None where it is none, which is named elsewhere."""
    try:
        tasks, repeats = run.manifest.planned
    except CanonicalError:
        return None
    return frozenset(tasks), repeats


def place(path: Path, folder: Path, depth: int) -> tuple[str, int]:
    """The task and repeat that a file below ``folder`` belongs to; raises StoreCorruptError where it has no place."""
    parts = path.relative_to(folder).parts
    if len(parts) != depth:
        raise StoreCorruptError(f"{path} doesn't belong into a run folder.")
    task = reading.task_name(folder, parts[0])
    return task, reading.number(folder / parts[0], parts[1].removesuffix(".json") if depth == 2 else parts[1])


def _check_attempt(run: RunFolder, path: Path, task: str, repeat: int, found: Findings) -> bool:
    """Whether it is masked."""
    found.attempts += 1
    if path.suffix != ".json":
        raise StoreCorruptError(f"{path} doesn't belong into a run folder.")
    record = run.read_attempt(task, repeat, path.stem)
    if found.names(run, path, record.blobs()):
        try:
            Replay(record, run.blobs).check()
        except StoreCorruptError as error:
            raise StoreCorruptError(f"{path}: {error}") from error
    return record.content.outcome.masked


def _check_done(run: RunFolder, task: str, repeat: int, found: Findings) -> None:
    done = run.done(task, repeat)
    # Damage of the attempt itself was named already.
    if done is not None and run.layout.attempt(task, repeat, done.attempt) not in found.bad:
        run.rollout(done)
