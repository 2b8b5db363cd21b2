"""Which shards are left of a run folder."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from harness.errors import UsageError
from harness.grading.mode import JUDGED
from harness.grading.prompt import JudgeSettings
from harness.grading.scorer import scorer
from harness.run import scorers
from harness.run.plan import Item, plan, shard_of
from harness.run.slurm.shards import largest, left, ranges
from harness.store.runfolder import RunFolder

ITEMS = plan(["a", "b"])
SCORER = scorer(JudgeSettings(), JUDGED)


def of(*tasks: str, shards: int) -> set[int]:
    return {shard_of(Item(task, 0), shards) for task in tasks}


def test_of_no_run_everything_is_left(tmp_path: Path) -> None:
    found = left(tmp_path / "none", plan([str(n) for n in range(40)]), 8, 3)
    assert set(found.shards) == set(range(8))
    assert sum(found.shards.values()) == found.planned == 40
    assert largest(plan([str(n) for n in range(40)]), 8) == max(found.shards.values())


def test_a_shard_without_a_rollout_is_not_sent_out(tmp_path: Path) -> None:
    assert set(left(tmp_path / "none", ITEMS, 100, 3).shards) == of("a", "b", shards=100)


def test_what_is_measured_and_graded_is_not_left(run: RunFolder, keep: Callable[..., object]) -> None:
    keep("a", "1")
    assert set(left(run.layout.root, ITEMS, 50, 3).shards) == of("a", "b", shards=50)  # not graded yet
    scored(run, {"a": False})
    found = left(run.layout.root, ITEMS, 50, 3)
    assert (set(found.shards), found.measured, found.planned) == (of("b", shards=50), 1, 2)


def test_a_rollout_whose_judge_failed_is_left(run: RunFolder, keep: Callable[..., object]) -> None:
    keep("a", "1")
    scored(run, {"a": True})
    assert set(left(run.layout.root, ITEMS, 50, 3).shards) == of("a", "b", shards=50)


def test_what_had_all_its_attempts_is_not_sent_out_again(run: RunFolder, keep: Callable[..., object]) -> None:
    keep("b", kind="upstream-failed", masked=True)
    found = left(run.layout.root, ITEMS, 50, 1)
    assert (set(found.shards), found.given_up) == (of("a", shards=50), 1)
    assert set(left(run.layout.root, ITEMS, 50, 2).shards) == of("a", "b", shards=50)


@pytest.mark.parametrize(
    ("numbers", "text"), [([], ""), ([3], "3"), ([0, 1, 2, 3], "0-3"), ([0, 2, 3, 5, 6, 7, 9], "0,2-3,5-7,9")]
)
def test_ranges(numbers: list[int], text: str) -> None:
    assert ranges(numbers) == text


def scored(run: RunFolder, masks: Mapping[str, bool]) -> None:
    """Scores as a grader keeps them, as far as it matters here."""
    scorers.keep(run, SCORER)
    for task, mask in masks.items():
        run.grades.write_score(SCORER.digest, task, 0, {"mask_sample": mask})


@pytest.mark.parametrize("items", [plan(["a", "c"]), plan(["a"]), plan(["a", "b"], repeats=2)])
def test_a_run_of_another_plan_is_refused(run: RunFolder, items: tuple[Item, ...]) -> None:
    with pytest.raises(UsageError, match="a run of questions with 2 tasks, 1 times each"):
        left(run.layout.root, items, 4, 3)
