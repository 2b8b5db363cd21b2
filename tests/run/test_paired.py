"""Comparing two runs task by task, against scipy, by hand, and by drawing many pairs of runs."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, norm, permutation_test

from harness.run.paired import STEPS_MAX, Pair, differences, interval, permutation

REWARDS = st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=3)


def single(worse: int, better: int, equal: int = 0) -> list[Pair]:
    return [([1.0], [0.0])] * worse + [([0.0], [1.0])] * better + [([1.0], [1.0])] * equal


@pytest.mark.parametrize(("worse", "better"), [(0, 1), (1, 5), (3, 3), (0, 10), (12, 30), (200, 150), (0, 3000)])
def test_with_one_repeat_it_is_mcnemars_exact_test(worse: int, better: int) -> None:
    found = permutation(single(worse, better, equal=7))
    assert found is not None
    assert found.value == pytest.approx(binomtest(better, worse + better, 0.5).pvalue, rel=1e-9)
    assert found.exact


def test_one_against_five_by_hand() -> None:
    # Of 2^6 ways 1 + 6 have at most one task on the one side, and as many on the other: 14/64
    found = permutation(single(1, 5))
    assert found is not None
    assert found.value == 14 / 64


@given(st.lists(st.tuples(REWARDS, REWARDS), min_size=1, max_size=7))
def test_it_is_the_share_of_all_signs_that_bring_as_much(pairs: list[Any]) -> None:
    found = permutation(pairs)
    values = differences(pairs)
    sums = [abs(sum(sign * value for sign, value in zip(signs, values, strict=True))) for signs in _signs(len(values))]
    assert found is not None
    assert found.value == pytest.approx(np.mean([one >= abs(sum(values)) - 1e-9 for one in sums]), abs=1e-12)


def _signs(n: int) -> Any:
    return itertools.product((1, -1), repeat=n)


def test_it_is_scipys_where_rewards_lie_between() -> None:
    random = np.random.default_rng(4)
    first, second = random.random((11, 3)), random.random((11, 2))
    found = permutation([(list(one), list(two)) for one, two in zip(first, second, strict=True)])
    theirs = permutation_test(
        (second.mean(axis=1), first.mean(axis=1)),
        lambda one, two, axis: np.mean(one - two, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    )
    assert found is not None
    assert not found.exact
    assert found.value == pytest.approx(theirs.pvalue, abs=2 / 2**11)


def test_repeats_that_leave_no_common_step_are_rounded() -> None:
    many: list[Pair] = [([1.0] * n, [0.0] * (n + 1)) for n in range(1, 40)]
    found = permutation(many)
    assert found is not None
    assert not found.exact
    assert found.value == pytest.approx(2 * 0.5**39)
    assert STEPS_MAX // len(many) > 10_000


def test_runs_that_are_equal_or_have_no_task_in_common() -> None:
    equal = permutation(single(0, 0, equal=12))
    assert equal is not None
    assert (equal.value, equal.exact) == (1.0, True)
    assert permutation([]) is None
    assert interval([]) is None


def test_a_false_alarm_is_as_rare_as_it_says() -> None:
    """Two runs of the same tasks with the same chances, 500 times, 3 repeats and 2."""
    random = np.random.default_rng(5)
    alarms = 0
    for _ in range(500):
        chances = random.beta(1, 1, (60, 1))
        first, second = random.random((60, 3)) < chances, random.random((60, 2)) < chances
        found = permutation([(list(map(float, a)), list(map(float, b))) for a, b in zip(first, second, strict=True)])
        assert found is not None
        alarms += found.value <= 0.05
    assert 10 <= alarms <= 40


def test_the_interval_of_single_repeats_is_bonett_and_prices() -> None:
    low, high = interval(single(5, 20, equal=75)) or (0, 0)
    up, down, n = 21 / 102, 6 / 102, 102
    reach = norm.ppf(0.975) * np.sqrt((up + down - (up - down) ** 2) / n)
    assert (low, high) == pytest.approx((up - down - reach, up - down + reach), rel=1e-12)


def test_the_interval_has_a_width_where_no_task_differs_and_never_leaves_its_bounds() -> None:
    low, high = interval(single(0, 0, equal=10)) or (0, 0)
    assert (low, high) == pytest.approx((-0.2309, 0.2309), abs=1e-4)  # 1.96 * sqrt(2/12/12)
    assert interval(single(0, 1)) == (pytest.approx(-0.7335, abs=1e-4), 1.0)  # 1/3 -+ 1.96 * sqrt((1 - 1/9)/3)


@pytest.mark.parametrize("repeats", [1, 4])
def test_nineteen_of_twenty_intervals_hold_the_true_difference(repeats: int) -> None:
    """The second run's chances are 0.1 higher, or as far as there is room: 0.0987 in the mean."""
    random = np.random.default_rng(6)
    held = 0
    for _ in range(1000):
        chances = random.random((80, 1)) * 0.95
        higher = np.minimum(1, chances + 0.1)
        pairs = [(random.random((80, repeats)) < some).astype(float).tolist() for some in (chances, higher)]
        low, high = interval(list(zip(*pairs, strict=True))) or (0, 0)
        held += low <= 0.1 - 0.05**2 / 2 / 0.95 <= high
    assert 930 <= held <= 975
