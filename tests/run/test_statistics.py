"""Wilson's interval against another's code, by hand, and at its ends."""

import pytest
from scipy.stats import binomtest

from harness.run.statistics import wilson


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
