"""What a kill left in a run folder, and what a run that was killed again and again came to in the end."""

import json
from pathlib import Path
from typing import Any

import attrs

from harness.store import atomic
from harness.store.runfolder import RunFolder
from harness.store.verify import check

#: What belongs to a place and time in a summary: all else is equal in equal runs.
OF_A_TIME = ("_sha256", "played_seconds", "waited_seconds")


@attrs.frozen
class Left:
    """What was found after a kill: unfinished files, whole blobs that nothing names, attempts that don't count yet."""

    temporary: int = 0
    unnamed: int = 0
    unpublished: int = 0

    def __add__(self, other: "Left") -> "Left":
        return Left(
            self.temporary + other.temporary, self.unnamed + other.unnamed, self.unpublished + other.unpublished
        )


@attrs.frozen
class Outcome:
    """What a finished run came to, but for times: equal for all runs of the same tasks."""

    content: str
    summary: dict[str, Any]
    scores: dict[str, bytes]


def left(folder: Path) -> Left:
    """Look at a folder after a kill. Raises AssertionError for a torn or wrong file, or one that came too early."""
    if not folder.exists():
        return Left()
    files = [path for path in folder.rglob("*") if path.is_file()]
    temporary = sum(atomic.is_temporary(path.name) for path in files)
    for path in files:
        if path.suffix == ".json" and not atomic.is_temporary(path.name):
            json.loads(path.read_bytes())
    if not (folder / "manifest.json").exists():
        strangers = [path for path in files if "blobs" not in path.parts and not atomic.is_temporary(path.name)]
        assert strangers == [], "nothing but blobs comes before the manifest"
        return Left(temporary, sum(not atomic.is_temporary(path.name) for path in files))
    found = check(RunFolder.open(folder))
    assert found.problems == ()
    return Left(temporary, len(found.unnamed), found.unpublished)


def outcome(folder: Path, tasks: int) -> Outcome:
    """Look at a finished run of so many tasks, each once.

    Raises AssertionError where a task was not measured, or was measured twice.
    """
    left(folder)
    run = RunFolder.open(folder)
    dones = list(run.dones())
    assert len(dones) == tasks
    for done in dones:
        measured = [ref.name for ref in run.attempts(done.task, done.repeat) if not ref.masked]
        assert measured == [done.attempt], f"task {done.task} was measured {len(measured)} times"
    summary = json.loads((folder / "summary.json").read_bytes())
    assert summary["content_digest"] == run.content_digest()
    return Outcome(
        content=run.content_digest(),
        summary={key: value for key, value in summary.items() if key not in OF_A_TIME},
        scores={str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.glob("scores/*/*/*.json"))},
    )


def blob_kinds(folder: Path) -> dict[str, str]:
    """What each blob of a finished run is, packs left out: other runs of the same tasks have the same."""
    run = RunFolder.open(folder)
    packs = {str(pack.blob) for done in run.dones() if (pack := run.rollout(done).observed.pack) is not None}
    scorers = {path.name for path in run.layout.scores.iterdir()}
    kinds = {name: "scorer" if name in scorers else "blob" for name in map(str, run.blobs) if name not in packs}
    return kinds | {str(run.manifest.tasks): "task set"}
