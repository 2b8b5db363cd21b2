"""What became of each rollout, by the files of a run folder."""

from collections.abc import Callable
from typing import Any

from harness.grading.score import Score
from harness.run.facts import Facts
from harness.run.plan import Item
from harness.run.results import UNFINISHED, UNGRADED, kept
from harness.store.digests import digest
from harness.store.runfolder import RunFolder

SCORER = digest(b"scorer")
A = Item("a", 0)


def test_one_that_was_never_played_is_unfinished(run: RunFolder, benchmark: Any) -> None:
    found = kept(run, benchmark, SCORER, A)
    assert (found.outcome, found.reward, found.attempts, found.groups) == (UNFINISHED, None, 0, {"type": "a"})


def test_the_last_masked_attempt_says_why(run: RunFolder, benchmark: Any, keep: Callable[..., Facts]) -> None:
    keep("a", kind="upstream-stalled", masked=True, started=30)
    keep("a", kind="upstream-failed", masked=True, started=20)
    found = kept(run, benchmark, SCORER, A)
    assert (found.outcome, found.reward, found.attempts) == ("upstream-stalled", None, 2)


def test_one_without_a_score_is_not_graded(run: RunFolder, benchmark: Any, keep: Callable[..., Facts]) -> None:
    keep("a", "\\boxed{a}")
    assert kept(run, benchmark, SCORER, A).outcome == UNGRADED


def test_a_score_is_taken_as_it_is_kept(run: RunFolder, benchmark: Any, keep: Callable[..., Facts]) -> None:
    keep("a", "\\boxed{a}")
    run.grades.write_score(SCORER, "a", 0, Score(reward=1.0, verdict="equivalent").to_json())
    found = kept(run, benchmark, SCORER, A)
    assert (found.outcome, found.reward, found.flags, found.played_ns) == ("answered", 1.0, ("fork",), 100)


def test_a_judge_that_failed_is_the_outcome(run: RunFolder, benchmark: Any, keep: Callable[..., Facts]) -> None:
    keep("a", "\\boxed{a}")
    failed = Score(reward=None, mask_sample=True, failure_kind="judge_failed", failure_reason="HTTP 500")
    run.grades.write_score(SCORER, "a", 0, failed.to_json())
    found = kept(run, benchmark, SCORER, A)
    assert (found.outcome, found.reward) == ("judge_failed", None)
