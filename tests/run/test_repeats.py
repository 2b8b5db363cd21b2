"""The figures of repeats by hand, by listing every draw, and against others' arithmetic."""

import itertools
import statistics
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom, sem

from harness.run.repeats import Repeats, figures, majority_at, pass_at, sizes

REWARDS = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=7)


def task(rewards: Sequence[float], answers: Sequence[str | None] | None = None) -> Repeats:
    numbers = range(len(rewards))
    return Repeats(planned=numbers, measured=numbers, rewards=rewards, answers=answers or [None] * len(rewards))


@pytest.mark.parametrize(
    ("right", "n", "k", "expected"),
    [
        (1, 4, 1, 0.25),
        (1, 4, 2, 0.5),  # 1 - C(3,2)/C(4,2) = 1 - 3/6
        (2, 5, 3, 0.9),  # 1 - C(3,3)/C(5,3) = 1 - 1/10
        (0, 5, 5, 0.0),
        (1, 5, 5, 1.0),
        (3, 5, 3, 1.0),  # only two are wrong: three drawn hold a right one
    ],
)
def test_pass_at_k_by_hand(right: int, n: int, k: int, expected: float) -> None:
    assert pass_at(task([1.0] * right + [0.0] * (n - right)), k) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("n", [1, 7, 64, 1000])
def test_pass_at_k_is_one_less_the_chance_of_only_wrong_ones(n: int) -> None:
    for right, k in itertools.product({0, 1, n // 3, n}, {1, (n + 1) // 2, n}):
        missed = hypergeom(n, right, k).pmf(0)
        assert pass_at(task([1.0] * right + [0.0] * (n - right)), k) == pytest.approx(1 - missed, abs=1e-12)


@given(REWARDS, st.data())
def test_pass_at_k_is_the_mean_over_every_draw_of_its_best(rewards: list[float], data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(rewards)))
    every = statistics.fmean(max(drawn) for drawn in itertools.combinations(rewards, k))
    assert pass_at(task(rewards), k) == pytest.approx(every, abs=1e-12)


@pytest.mark.parametrize(
    ("answers", "rewards", "k", "expected"),
    [
        ("aab", [1, 1, 0], 3, 1.0),
        ("abb", [1, 0, 0], 3, 0.0),
        ("aabb", [1, 1, 0, 0], 4, 0.5),  # two and two: the mean of 1 and 0
        ("abc", [1, 0, 0], 3, 1 / 3),
        ("bbaaa", [0, 0, 1, 1, 1], 3, 0.0),  # only the first three vote
        ("-a-", [0, 1, 0], 3, 1.0),  # no answer, no vote
        ("---", [1, 0, 0], 3, 0.0),
        ("aab", [1, 0, 0], 3, 0.5),  # the judge found one of the two right
    ],
)
def test_majority_at_k_by_hand(answers: str, rewards: list[float], k: int, expected: float) -> None:
    voted = task(rewards, [None if answer == "-" else answer for answer in answers])
    assert majority_at(voted, k) == pytest.approx(expected)


# Three tasks, four repeats, rewards 1010, 1100, 0111: the repeats' means are 2/3, 2/3, 2/3 and 1/3.
THREE = [task([1, 0, 1, 0], "axay"), task([1, 1, 0, 0], "bbzz"), task([0, 1, 1, 1], "wccc")]


def test_three_tasks_by_hand() -> None:
    found: Any = figures(THREE, 4)
    assert found["planned"] == 4
    assert found["rewards"] == pytest.approx([2 / 3, 2 / 3, 2 / 3, 1 / 3])
    # their standard deviation is 1/6: 3 * (1/12)^2 + (1/4)^2 = 1/12, a third of it 1/36
    assert found["standard_error"] == pytest.approx(1 / 12)
    assert found["pass@1"] == pytest.approx((1 / 2 + 1 / 2 + 3 / 4) / 3)
    assert found["pass@2"] == pytest.approx((5 / 6 + 5 / 6 + 1) / 3)
    assert (found["pass@3"], found["pass@4"]) == (1.0, 1.0)
    assert found["pass@1[avg-of-2]"] == pytest.approx((1 / 2 + 1 + 1 / 2) / 3)
    assert found["majority@2"] == pytest.approx((1 / 2 + 1 + 1 / 2) / 3)
    assert found["majority@4"] == pytest.approx((1 + 1 / 2 + 1) / 3)
    assert found["left_out"] == {"1": 0, "2": 0, "3": 0, "4": 0}


def test_the_standard_error_across_repeats_is_scipys() -> None:
    rewards = np.random.default_rng(1).integers(0, 2, (20, 5)).astype(float)
    found: Any = figures([task(list(row)) for row in rewards], 5)
    assert found["standard_error"] == pytest.approx(sem(rewards.mean(axis=0)), rel=1e-12)


def test_a_masked_repeat_moves_no_other_and_its_task_is_left_out_of_the_full_k() -> None:
    gap = Repeats(planned=(0, 1, 2), measured=(0, 2), rewards=(1.0, 0.0), answers=("a", "b"))
    found: Any = figures([gap, task([0.0, 1.0, 0.0], "xyx")], 3)
    assert found["rewards"] == [0.5, 1.0, 0.0]
    assert found["left_out"] == {"1": 0, "2": 0, "3": 1}
    assert (found["pass@3"], found["majority@3"]) == (1.0, 0.0)
    assert found["pass@2"] == pytest.approx((1 + 2 / 3) / 2)


def test_the_votes_of_all_repeats_are_one_draw_a_task_and_their_best_too() -> None:
    found: Any = figures(THREE, 4)
    between = found["intervals"]
    assert all(0 <= low <= found[name] <= high <= 1 for name, (low, high) in between.items())
    assert between["pass@4"] == pytest.approx([0.43850, 1.0], abs=1e-5)  # Wilson's of 3 right of 3: 3 / (3 + z^2)
    assert set(between) == {name for name in found if "@" in name}


@given(st.lists(REWARDS, min_size=1, max_size=6))
def test_each_figure_lies_within_its_interval_and_that_within_0_and_1(rewards: list[list[float]]) -> None:
    found: Any = figures([task(row, "abcdefg"[: len(row)]) for row in rewards], max(map(len, rewards)))
    for name, (low, high) in found["intervals"].items():
        assert 0 <= low <= found[name] + 1e-12
        assert found[name] - 1e-12 <= high <= 1


def test_which_k_are_looked_at() -> None:
    assert sizes(1) == [1]
    assert sizes(5) == [1, 2, 3, 4, 5]
    assert sizes(20) == [1, 2, 3, 4, 5, 6, 7, 8, 16, 20]
