"""What is said of a submission, and of how far a run is."""

from pathlib import Path

from harness.report.jobs import sent, state
from harness.run.slurm.shards import Left
from harness.run.slurm.submitting import Sent, Submission


def submission(measured: int, given_up: int = 0, queued: tuple[int, ...] = ()) -> Submission:
    left = Left({0: 1, 1: 2}, 12, measured, given_up)
    names = {"run": Path("/shared/R"), "name": "n", "array": "", "last": "", "logs": Path("/shared/R.slurm")}
    return Submission(left=left, queued=queued, sent=(0, 1), **names)  # type: ignore[arg-type]


def test_a_submission_says_what_is_left_and_which_jobs_do_it() -> None:
    assert list(sent(Sent(submission(9, queued=(3,)), "5", "6"))) == [
        "/shared/R: 9 of 12 rollouts are measured",
        "in the queue already: 1 shard",
        "job 5: 2 shards; job 6 sums up",
        "scripts and logs: /shared/R.slurm",
    ]


def test_what_nothing_can_be_done_about_is_said() -> None:
    lines = list(sent(Sent(submission(11, given_up=1), None, None)))
    assert lines[1].startswith("1 rollout had all attempts")
    assert lines[-1] == "nothing is left to submit; to sum up again: harness rescore /shared/R"


def test_a_state_says_what_runs_where() -> None:
    found = {"run": "/shared/R", "measured": 1, "planned": 12, "shards": {"PENDING": 2, "RUNNING": 1}, "last_job": None}
    assert list(state({**found, "running": [{"job": "5_1", "shard": 1, "node": "n1\x1b"}]})) == [
        "/shared/R: 1 of 12 rollouts are measured",
        "shards with a job: 2 PENDING, 1 RUNNING; the job that sums up: none",
        "  shard 1 runs on n1\\x1b (job 5_1)",
    ]
    before = {"run": "/shared/R", "measured": 0, "planned": None, "shards": {}, "last_job": None, "running": []}
    assert next(iter(state({**before, "last_job": "PENDING"}))) == "/shared/R: no job has begun it yet"
    assert next(iter(state(before))) == "/shared/R: there is no run, and the queue has no job of one"
