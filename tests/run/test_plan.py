"""Planned rollouts: order, limits, shards."""

import pytest

from harness.errors import UnknownNameError
from harness.run.plan import Item, plan

TASKS = [f"t{n}" for n in range(40)]


def test_repeats_go_round_after_round() -> None:
    assert plan(["a", "b"], repeats=2) == (Item("a", 0), Item("b", 0), Item("a", 1), Item("b", 1))


def test_limit_counts_tasks_and_keeps_the_order() -> None:
    assert [item.task for item in plan(TASKS, limit=3)] == ["t0", "t1", "t2"]
    assert [item.task for item in plan(TASKS, only=["t7", "t2", "t9"], limit=2)] == ["t2", "t7"]


def test_shards_deal_each_item_once() -> None:
    parts = [plan(TASKS, repeats=2, shard=(index, 7)) for index in range(7)]
    dealt = [item for part in parts for item in part]
    assert sorted(dealt) == sorted(plan(TASKS, repeats=2))
    assert all(len(part) < len(dealt) / 2 for part in parts)


def test_a_shard_is_the_same_everywhere() -> None:
    assert [item.task for item in plan(TASKS[:8], shard=(0, 3))] == EXPECTED_FIRST_OF_THREE


def test_an_unknown_task_is_named_with_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 't12'"):
        plan(TASKS, only=["t12x"])


EXPECTED_FIRST_OF_THREE = ["t1", "t3", "t7"]
