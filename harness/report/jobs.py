"""What was submitted to Slurm, and how far it is, in lines for people."""

from collections.abc import Iterator, Mapping
from typing import Any

from harness.report.words import plain
from harness.run.progress import several
from harness.run.slurm.submitting import Sent


def sent(what: Sent) -> Iterator[str]:
    """What a submission found and did."""
    left, run = what.submission.left, what.submission.run
    yield plain(f"{run}: {left.measured} of {left.planned} rollouts are measured")
    if left.given_up:
        yield (
            f"{several(left.given_up, 'rollout', 's')} had all attempts, all masked. Once the cause is mended: a "
            "larger --max-attempts"
        )
    if what.submission.queued:
        yield f"in the queue already: {several(len(what.submission.queued), 'shard', 's')}"
    if what.job is None:
        yield plain(f"nothing is left to submit; to sum up again: harness rescore {run}")
    else:
        yield f"job {what.job}: {several(len(what.submission.sent), 'shard', 's')}; job {what.last_job} sums up"
        yield plain(f"scripts and logs: {what.submission.logs}")


def state(found: Mapping[str, Any]) -> Iterator[str]:
    """What `harness.run.slurm.status` found."""
    counts = f"{found['measured']} of {found['planned']} rollouts are measured"
    if found["planned"] is None:
        waits = found["shards"] or found["last_job"]
        counts = "no job has begun it yet" if waits else "there is no run, and the queue has no job of one"
    yield plain(f"{found['run']}: {counts}")
    states = ", ".join(f"{count} {state}" for state, count in found["shards"].items()) or "none"
    yield plain(f"shards with a job: {states}; the job that sums up: {found['last_job'] or 'none'}")
    for one in found["running"]:
        yield plain(f"  shard {one['shard']} runs on {one['node']} (job {one['job']})")
