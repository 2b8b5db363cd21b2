"""How far a submitted run is."""

from collections.abc import Callable
from pathlib import Path

from harness.run.slurm.client import Queued
from harness.run.slurm.status import status
from harness.run.slurm.submitting import job_name
from harness.store.runfolder import RunFolder
from tests.schemas import check


def test_a_run_and_its_jobs(run: RunFolder, keep: Callable[..., object]) -> None:
    keep("a", "1")
    path = run.layout.root
    queue = [
        Queued("5_1", 1, job_name(path, 4), "RUNNING", "n1"),
        Queued("5_2", 2, job_name(path, 4), "PENDING", ""),
        Queued("6", None, job_name(path, "end"), "PENDING", ""),
        Queued("7", None, "another", "RUNNING", "n2"),
    ]
    found = check("slurm-status", status(path, queue))
    assert (found["measured"], found["planned"]) == (1, 2)
    assert found["shards"] == {"PENDING": 1, "RUNNING": 1}
    assert found["running"] == [{"job": "5_1", "shard": 1, "node": "n1"}]
    assert found["last_job"] == "PENDING"


def test_before_the_first_job_began(tmp_path: Path) -> None:
    found = check("slurm-status", status(tmp_path / "R", []))
    assert (found["measured"], found["planned"], found["shards"], found["last_job"]) == (0, None, {}, None)
