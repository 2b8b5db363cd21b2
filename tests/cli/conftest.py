"""A run folder with one small rollout."""

from pathlib import Path

import pytest

from harness.store.digests import digest
from harness.store.manifest import Manifest
from harness.store.observed import Observed
from harness.store.record import AttemptRecord, Content, Outcome, PromptImage
from harness.store.runfolder import RunFolder


@pytest.fixture
def small_run(tmp_path: Path) -> Path:
    run = RunFolder.create(
        tmp_path / "run",
        Manifest(
            benchmark="demo",
            tasks=digest(b"tasks"),
            plan={"tasks": ["1"], "repeats": 1},
            prompts={},
            rootfs=digest(b"rootfs"),
            agent={},
            model="m",
            sampling={},
            budgets={},
            limits={},
            date="Thu Jan 01 2026",
        ),
        b"tasks",
    )
    content = Content(
        task="1",
        repeat=0,
        prompt=run.blobs.put(b"How many?"),
        images=(PromptImage("image.png", run.blobs.put(b"a picture")),),
        calls=(),
        chain=(),
        answer=None,
        finish_reason=None,
        image_ok=True,
        flags=(),
        outcome=Outcome(kind="no-answer", masked=False, failure_kind=None, reason=None),
    )
    observed = Observed(
        started_ns=1,
        ended_ns=2,
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
    assert run.publish_done(run.write_attempt(AttemptRecord(content, observed)))
    return run.layout.root
