"""What became of each rollout, by the files of a run folder."""

from collections.abc import Callable
from typing import Any

import attrs
import pytest

from harness.errors import StoreCorruptError
from harness.grading.score import Score
from harness.run.facts import Facts
from harness.run.plan import Item
from harness.run.results import UNFINISHED, UNGRADED, kept, planned
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


def with_plan(run: RunFolder, plan: dict[str, Any]) -> RunFolder:
    return attrs.evolve(run, manifest=attrs.evolve(run.manifest, plan=plan))


def test_a_plan_is_all_tasks_of_each_repeat(run: RunFolder, benchmark: Any) -> None:
    found = planned(with_plan(run, {"tasks": ["b", "a"], "repeats": 2}), benchmark)
    assert found == (Item("b", 0), Item("a", 0), Item("b", 1), Item("a", 1))


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ({}, "lacks the field 'tasks'"),
        ({"tasks": [], "repeats": 1}, "has no tasks"),
        ({"tasks": ["a", "a"], "repeats": 1}, "'a' more than once"),
        ({"tasks": ["a", "c"], "repeats": 1}, "plans the task 'c', which the task set doesn't hold"),
        ({"tasks": ["a"], "repeats": 0}, "has 0 repeats"),
        ({"tasks": ["a"], "repeats": 10**12}, "has 1000000000000 repeats"),
        ({"tasks": ["a"], "repeats": True}, "must be a whole number"),
        ({"tasks": ["a"], "repeats": -1}, "must be a whole number"),
    ],
)
def test_a_plan_that_is_none_is_damage(run: RunFolder, benchmark: Any, plan: dict[str, Any], said: str) -> None:
    with pytest.raises(StoreCorruptError, match=f"manifest.json .*{said}"):
        planned(with_plan(run, plan), benchmark)


@pytest.mark.parametrize("reward", [7, -3, 1e308])
def test_a_score_beyond_0_to_1_is_damage(
    run: RunFolder, benchmark: Any, keep: Callable[..., Facts], reward: float
) -> None:
    keep("a", "\\boxed{a}")
    run.grades.write_score(SCORER, "a", 0, {**Score(reward=1.0).to_json(), "reward": reward})
    with pytest.raises(StoreCorruptError, match="from 0 to 1"):
        kept(run, benchmark, SCORER, A)
