"""Means of numbers from 0 to 1 and how sure they are; pure arithmetic, the same on every machine and in any order.

A task's repeats resemble each other: a task is one draw from all the tasks that could have been asked, a repeat is not.
So each figure here takes tasks as independent of each other and nothing else (E. Miller, Adding Error Bars to Evals,
arXiv 2411.00640, section 2.2).
"""

import math
from collections.abc import Sequence
from typing import Final

# The standard normal distribution's 97.5 % point: with it an interval holds 95 %.
Z95: Final = 1.959963984540054

Interval = tuple[float, float]


def wilson(total: float, n: float) -> Interval | None:
    """Wilson's 95 % score interval of a mean of ``n`` numbers from 0 to 1 whose sum is ``total``; None for n = 0.

    It takes the numbers as independent draws that are 0 or 1. Where they are not, ``n`` is how many independent ones
    would say as much. Source: E. B. Wilson, JASA 22 (1927), 209-212.

    Raises:
        ValueError: such numbers don't have that sum.
    """
    if not 0 <= total <= n:
        raise ValueError(f"{n} numbers from 0 to 1 can't have the sum {total}")
    if n == 0:
        return None
    mean, square = total / n, Z95**2
    middle = mean + square / (2 * n)
    reach = Z95 * math.sqrt(mean * (1 - mean) / n + square / (4 * n**2))
    scale = 1 + square / n
    # Of all right and all wrong the formula gives 1 and 0 but for rounding.
    low = 0.0 if total == 0 else max(0.0, (middle - reach) / scale)
    high = 1.0 if total == n else min(1.0, (middle + reach) / scale)
    return low, high


def mean(values: Sequence[float]) -> float | None:
    """The mean; None of nothing."""
    return math.fsum(values) / len(values) if values else None


def standard_error(tasks: Sequence[Sequence[float]]) -> float | None:
    """The standard error of the mean over all rewards, clustered by task; None for fewer than two tasks.

    ``tasks`` has each task's rewards, at least one. With one reward for each it is the usual s / sqrt(n). Source: K.-Y.
    Liang and S. L. Zeger, Biometrika 73 (1986), 13-22, with the usual factor G / (G - 1) for G clusters.
    """
    if len(tasks) < 2:
        return None
    between, _, n = _squares(tasks)
    return math.sqrt(between * len(tasks) / (len(tasks) - 1)) / n


def effective(tasks: Sequence[Sequence[float]]) -> float:
    """How many independent rewards would say as much about the mean as these do: from the tasks to all rewards.

    All rewards divided by the design effect (L. Kish, Survey Sampling, 1965; J. N. K. Rao and A. J. Scott, Biometrics
    48 (1992), 577-585, without their factor G / (G - 1), so that one reward a task counts as one). Repeats that always
    agree count as one; repeats that agree less than chance are chance, and count as independent.
    """
    between, within, n = _squares(tasks)
    if len({reward for task in tasks for reward in task}) == 1:
        return len(tasks)  # rewards that are all the same don't tell how far repeats agree
    return n if between <= within or n == len(tasks) else n * within / between


def interval(tasks: Sequence[Sequence[float]]) -> Interval | None:
    """The 95 % interval of the mean over all rewards: Wilson's for as many as are `effective`; None of nothing."""
    n = sum(map(len, tasks))
    return _score_interval(_total(tasks), n, effective(tasks)) if n else None


def interval_of_means(values: Sequence[float], draws: float) -> Interval | None:
    """The 95 % interval of the mean of one number from 0 to 1 for each task; None of nothing.

    Wilson's for p (1 - p) / v draws, v being the variance of the mean (E. L. Korn and B. I. Graubard, Survey
    Methodology 24 (1998), 193-201), but for no more than ``draws``: numbers that are near each other are more sure
    than draws of 0 and 1, up to as many as they were made of.
    """
    if not values:
        return None
    total, n = math.fsum(values), len(values)
    centre = total / n
    spread = math.fsum((value - centre) ** 2 for value in values)
    if spread == 0:
        return _score_interval(total, n, n)
    return _score_interval(total, n, max(n, min(draws, n * n * centre * (1 - centre) / spread)))


def _score_interval(total: float, n: int, draws: float) -> Interval | None:
    return wilson(total, n) if draws == n else wilson(min(draws, total / n * draws), draws)


def _total(tasks: Sequence[Sequence[float]]) -> float:
    return math.fsum(reward for task in tasks for reward in task)


def _squares(tasks: Sequence[Sequence[float]]) -> tuple[float, float, int]:
    """The squared deviations from the mean, summed up within each task before and after squaring; all rewards."""
    n = sum(map(len, tasks))
    centre = _total(tasks) / n
    sums = [math.fsum(reward - centre for reward in task) for task in tasks]
    between = math.fsum(value * value for value in sums)
    within = math.fsum((reward - centre) ** 2 for task in tasks for reward in task)
    return between, within, n
