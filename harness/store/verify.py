"""Checking a run folder: everything is read, hashed again and put together again."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from harness.errors import StoreCorruptError
from harness.store import atomic, reading
from harness.store.digests import file_digest
from harness.store.grades import read_judge_call, read_object
from harness.store.replay import Replay
from harness.store.runfolder import RunFolder


def verify(run: RunFolder) -> list[str]:
    """Every problem of a run folder as one text that names the path; an empty list when all is well.

    Blobs that no record names are no problem: a killed attempt leaves them behind.
    """
    problems: list[str] = []
    for blob in run.blobs:
        with _noted(problems):
            _check_blob(run.blobs.path(blob))
    for path in _files(run.layout.attempts):
        with _noted(problems):
            _check_attempt(run, path)
    for path in _files(run.layout.dones):
        with _noted(problems):
            task, repeat = _place(path, run.layout.dones, 2)
            done = run.done(task, repeat)
            if done is not None:
                run.rollout(done)
    for path in _files(run.layout.judge):
        with _noted(problems):
            read_judge_call(path)
    for path in (*_files(run.layout.scores), *_files(run.layout.observed)):
        with _noted(problems):
            read_object(path)
    return problems


def _check_blob(path: Path) -> None:
    with reading.corrupt(path):
        found = file_digest(path)
    if found != path.name:
        raise StoreCorruptError(
            f"The blob {path} was changed: its SHA-256 is {found}. Restore it from a copy of the run."
        )


def _check_attempt(run: RunFolder, path: Path) -> None:
    task, repeat = _place(path, run.layout.attempts, 3)
    record = run.read_attempt(task, repeat, path.stem)
    for blob in sorted(record.blobs()):
        if not run.blobs.has(blob):
            raise StoreCorruptError(f"{path} names a blob that is missing: {run.blobs.path(blob)}.")
    replay = Replay(record, run.blobs)
    for index in range(len(record.content.calls)):
        try:
            replay.request(index)
            replay.answer(index)
        except StoreCorruptError as error:
            raise StoreCorruptError(f"{path}: {error}") from error


def _place(path: Path, folder: Path, depth: int) -> tuple[str, int]:
    """The task and repeat that a file below ``folder`` belongs to."""
    parts = path.relative_to(folder).parts
    if len(parts) != depth:
        raise StoreCorruptError(f"{path} doesn't belong into a run folder.")
    return reading.task_name(folder, parts[0]), reading.number(folder / parts[0], parts[1])


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and not atomic.is_temporary(path.name))


@contextlib.contextmanager
def _noted(problems: list[str]) -> Iterator[None]:
    try:
        yield
    except StoreCorruptError as error:
        problems.append(str(error))
