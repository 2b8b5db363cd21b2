"""A run folder, and rollouts in it that were never played."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import attrs
import pytest

from harness.benchmarks.base import Gold
from harness.run.facts import Facts
from harness.store.digests import digest
from harness.store.manifest import Manifest
from harness.store.observed import Observed
from harness.store.record import AttemptRecord, Content, Outcome
from harness.store.runfolder import RunFolder


@attrs.frozen
class Questions:
    """A benchmark of which only what grading and summing up need is there."""

    name: str = "questions"
    ids: tuple[str, ...] = ("a", "b")

    def gold(self, task: str) -> Gold:
        return Gold(f"What is {task}?", task)

    def groups(self, task: str) -> Mapping[str, str]:
        return {"type": task[0]}


@pytest.fixture
def benchmark() -> Any:
    return Questions()


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    manifest = Manifest(
        benchmark="questions",
        tasks=digest(b"tasks"),
        plan={"tasks": ["a", "b"], "repeats": 1},
        prompts={},
        rootfs=digest(b"rootfs"),
        agent={},
        model="m",
        sampling={},
        budgets={},
        limits={},
        date="Thu Jan 01 2026",
    )
    return RunFolder.create(tmp_path / "run", manifest)


@pytest.fixture
def keep(run: RunFolder) -> Callable[..., Facts]:
    """Keeps an attempt as if it had been played, and publishes it unless it is masked."""

    def attempt(
        task: str, answer: str | None = None, *, kind: str = "answered", masked: bool = False, started: int = 10
    ) -> Facts:
        record = AttemptRecord(made_content(run, task, answer, kind, masked=masked), made_observed(started))
        ref = run.write_attempt(record)
        assert masked or run.publish_done(ref)
        return Facts.of(record)

    return attempt


def made_content(
    run: RunFolder, task: str = "1", answer: str | None = None, kind: str = "answered", *, masked: bool = False
) -> Content:
    """What an attempt without calls comes to."""
    return Content(
        task=task,
        repeat=0,
        prompt=run.blobs.put(b"?"),
        images=(),
        calls=(),
        chain=(),
        answer=answer,
        finish_reason=None,
        image_ok=True,
        flags=("fork",),
        outcome=Outcome(kind=kind, masked=masked, failure_kind=None, reason=None),
    )


def made_observed(started: int = 10) -> Observed:
    """What is observed of it."""
    return Observed(
        started_ns=started,
        ended_ns=started + 100,
        host="node",
        sessions=(),
        how="exited",
        exit_code=0,
        reason=None,
        egress=None,
        seccomp_sha256=None,
        limits={},
        full=(),
        peak_rss=None,
        artifacts={},
        refusals=(),
        calls=(),
    )
