"""How far a submitted run is: what counts already, and what its jobs do."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from harness.run.slurm import client
from harness.run.slurm.submitting import END, job_name
from harness.store.canonical import JSON
from harness.store.layout import Layout
from harness.store.runfolder import RunFolder


def status(run: Path, queue: Sequence[client.Queued]) -> dict[str, JSON]:
    """The object that ``--json`` prints: measured and planned rollouts, None before there is a run; jobs by state."""
    prefix = job_name(run, "")
    jobs = [job for job in queue if job.name.startswith(prefix)]
    shards = [job for job in jobs if job.name != job_name(run, END)]
    measured, planned = _counts(run)
    states: Mapping[str, JSON] = dict(sorted(Counter(job.state for job in shards).items()))
    running: list[JSON] = [
        {"job": job.id, "shard": job.task, "node": job.node} for job in shards if job.state == "RUNNING"
    ]
    return {
        "run": str(run),
        "measured": measured,
        "planned": planned,
        "shards": states,
        "running": running,
        "last_job": next((job.state for job in jobs if job.name == job_name(run, END)), None),
    }


def _counts(run: Path) -> tuple[int, int | None]:
    if not Layout(run).manifest.is_file():
        return 0, None
    folder = RunFolder.open(run)
    tasks, repeats = folder.manifest.planned
    return sum(1 for _ in folder.dones()), len(tasks) * repeats
