"""Intervals and standard errors against others' code, by hand, at their ends, and by drawing many runs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, sem

from harness.run.statistics import effective, interval, interval_of_means, mean, standard_error, wilson

TASKS = st.lists(st.lists(st.sampled_from([0.0, 0.3, 1.0]), min_size=1, max_size=5), min_size=1, max_size=8)


@pytest.mark.parametrize(("right", "n"), [(0, 1), (1, 1), (1, 2), (7, 12), (9, 12), (0, 388), (388, 388), (201, 388)])
def test_it_is_scipys(right: int, n: int) -> None:
    theirs = binomtest(right, n).proportion_ci(method="wilson")
    assert wilson(right, n) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_half_of_four_by_hand() -> None:
    # z^2 = 3.841459; middle = (0.5 + 3.841459/8) / (1 + 3.841459/4) = 0.5; reach = 1.959964 * sqrt(0.25/4 +
    # 3.841459/64) / 1.960365 = 0.349968
    assert wilson(2, 4) == pytest.approx((0.150032, 0.849968), abs=1e-5)


def test_of_nothing_there_is_none() -> None:
    assert wilson(0, 0) is None


@pytest.mark.parametrize("n", [1, 2, 3, 10, 1000])
def test_it_stays_within_0_and_1_and_its_ends_are_exact(n: int) -> None:
    none, every = wilson(0, n), wilson(n, n)
    assert none is not None
    assert every is not None
    assert (none[0], every[1]) == (0.0, 1.0)
    assert 0 < none[1] < 1
    assert none[1] == pytest.approx(1 - every[0])


def test_rewards_between_0_and_1_count_by_their_sum() -> None:
    low, high = wilson(2.5, 10) or (0, 0)
    assert low < 0.25 < high


@pytest.mark.parametrize(("total", "n"), [(3, 2), (-1, 2), (1, 0)])
def test_an_impossible_sum_is_refused(total: float, n: int) -> None:
    with pytest.raises(ValueError, match="can't have the sum"):
        wilson(total, n)


def test_the_mean_of_nothing_is_none() -> None:
    assert mean([]) is None
    assert mean([0.1] * 10) == 0.1  # summed up exactly


def test_with_one_reward_a_task_the_standard_error_is_the_usual_one() -> None:
    rewards = np.random.default_rng(1).random(30)
    assert standard_error([[reward] for reward in rewards]) == pytest.approx(sem(rewards), rel=1e-12)


def test_repeats_that_always_agree_have_the_standard_error_of_one_repeat() -> None:
    one = standard_error([[1.0], [0.0], [1.0], [1.0]])
    assert standard_error([[1.0] * 5, [0.0] * 5, [1.0] * 5, [1.0] * 5]) == pytest.approx(one)


def test_the_clustered_standard_error_is_that_of_the_least_squares_sandwich() -> None:
    """With numpy: a regression on a constant alone, its covariance clustered by task."""
    random = np.random.default_rng(2)
    tasks = [list(random.integers(0, 2, random.integers(1, 6)).astype(float)) for _ in range(25)]
    y, groups = np.concatenate(tasks), np.repeat(np.arange(25), list(map(len, tasks)))
    x = np.ones((len(y), 1))
    bread = np.linalg.inv(x.T @ x)
    left = y - x @ (bread @ x.T @ y)
    scores = np.array([x[groups == group].T @ left[groups == group] for group in range(25)])
    variance = (bread @ scores.T @ scores @ bread)[0, 0] * 25 / 24
    assert standard_error(tasks) == pytest.approx(np.sqrt(variance), rel=1e-12)


def test_a_clustered_standard_error_by_hand() -> None:
    # The mean is 3/6; the tasks' sums of deviations are 1, -1 and 0: sqrt((1 + 1 + 0) * 3/2) / 6
    assert standard_error([[1, 1], [0, 0], [1, 0]]) == pytest.approx(3**0.5 / 6)


def test_one_task_has_no_standard_error() -> None:
    assert standard_error([[1.0, 0.0]]) is None


def test_how_many_draws_repeats_are_worth() -> None:
    assert effective([[1.0], [0.0], [1.0]]) == 3
    assert effective([[1.0] * 4, [0.0] * 4, [1.0] * 4]) == pytest.approx(3)
    assert effective([[1.0, 0.0], [0.0, 1.0]]) == 4  # they agree less than chance
    assert effective([[1.0] * 4, [1.0] * 4]) == 2  # nothing tells how far they agree
    # The deviations' squares sum up to 6/4, those of the tasks' sums to 2: 6 * 1.5 / 2
    assert effective([[1, 1], [0, 0], [1, 0]]) == pytest.approx(4.5)


def test_with_one_repeat_the_interval_is_wilsons_to_the_bit() -> None:
    for right in range(13):
        assert interval([[1.0]] * right + [[0.0]] * (12 - right)) == wilson(right, 12)


@given(TASKS)
def test_the_interval_holds_the_mean_and_lies_within_0_and_1(tasks: list[list[float]]) -> None:
    low, high = interval(tasks) or (-1, -1)
    centre = mean([reward for task in tasks for reward in task]) or 0.0
    assert 0 <= low <= centre + 1e-12
    assert centre - 1e-12 <= high <= 1
    n = sum(map(len, tasks))
    assert n / max(map(len, tasks)) - 1e-9 <= effective(tasks) <= n


@pytest.mark.parametrize(("tasks", "repeats"), [(40, 4), (100, 8)])
def test_nineteen_of_twenty_intervals_hold_the_true_mean_where_the_plain_ones_do_not(tasks: int, repeats: int) -> None:
    """Tasks with chances of their own (beta 1, 1/2), drawn anew for each of 1000 runs; the true mean is 2/3."""
    random = np.random.default_rng(3)
    chances = random.beta(1, 0.5, (1000, tasks))
    rewards = (random.random((1000, tasks, repeats)) < chances[:, :, None]).astype(float)
    clustered, plain = 0, 0
    for run in rewards.tolist():
        for held, between in ((True, interval(run)), (False, wilson(sum(map(sum, run)), tasks * repeats))):
            assert between is not None
            inside = between[0] <= 2 / 3 <= between[1]
            clustered, plain = clustered + (held and inside), plain + (not held and inside)
    assert 930 <= clustered <= 970
    assert plain < 850


def test_the_interval_of_means_is_wilsons_for_draws_and_narrower_for_means_that_are_alike() -> None:
    assert interval_of_means([1.0, 0.0, 1.0], 3) == wilson(2, 3)
    assert interval_of_means([], 0) is None
    wide, narrow = interval_of_means([0.4, 0.6], 2), interval_of_means([0.4, 0.6], 8)
    assert (wide, narrow) == (wilson(1, 2), wilson(4, 8))  # 8 draws at the most, whatever the means' variance


def test_the_interval_of_pass_at_1_is_that_of_the_mean_where_all_was_measured() -> None:
    tasks = [[1, 1, 0], [0, 0, 0], [1, 0, 1], [1, 1, 1], [0, 1, 0]]
    assert interval_of_means([sum(task) / 3 for task in tasks], 15) == pytest.approx(interval(tasks))
