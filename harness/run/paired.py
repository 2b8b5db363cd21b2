"""Two runs over the same tasks: whether they differ, and by how much; each task is compared with itself alone."""

import math
from collections.abc import Sequence
from typing import Final

import attrs

from harness.run.statistics import Z95, Interval, mean

# The steps in which the sum of all differences is counted, at the most: it bounds time and memory of the test.
STEPS_MAX: Final = 1_000_000

# One task's rewards in the first run and in the second, at least one each.
Pair = tuple[Sequence[float], Sequence[float]]


@attrs.frozen
class PValue:
    """A two-sided p-value; ``exact`` unless differences were rounded to be counted."""

    value: float
    exact: bool


def differences(pairs: Sequence[Pair]) -> list[float]:
    """Of each task the second run's mean reward less the first run's."""
    return [math.fsum(second) / len(second) - math.fsum(first) / len(first) for first, second in pairs]


def interval(pairs: Sequence[Pair]) -> Interval | None:
    """The 95 % interval of the mean difference, within -1 and 1; None of nothing.

    The usual one of a mean, after a task more that is better by 1 and a task more that is worse by 1: so it has a
    width also where no task differs. For rewards of 0 and 1 that is the adjusted Wald interval of D. G. Bonett and
    R. M. Price, Journal of Educational and Behavioral Statistics 37 (2012), 479-488.
    """
    if not pairs:
        return None
    found = [*differences(pairs), 1.0, -1.0]
    n = len(found)
    centre = mean(found) or 0.0
    variance = math.fsum((value - centre) ** 2 for value in found) / n
    reach = Z95 * math.sqrt(variance / n)
    return max(-1.0, centre - reach), min(1.0, centre + reach)


def permutation(pairs: Sequence[Pair]) -> PValue | None:
    """The paired permutation test: how often as large a sum of differences comes from equal runs; None of nothing.

    If the two runs were equal, each task's difference could as well have the other sign. All 2^n ways are counted, not
    drawn (R. A. Fisher, The Design of Experiments, 1935, section 21). It supposes nothing of how rewards are spread,
    and repeats of one task need not be independent of each other. With one reward of 0 or 1 a task it is McNemar's
    exact test, a sign test over the tasks that differ.
    """
    if not pairs:
        return None
    steps, exact = _steps(pairs)
    moves = [round(value * steps) for value in differences(pairs)]
    return PValue(_both_tails([abs(move) for move in moves if move], abs(sum(moves))), exact)


def _steps(pairs: Sequence[Pair]) -> tuple[int, bool]:
    """Into how many steps a difference of 1 is cut, and whether each difference is a whole number of them."""
    most = max(1, STEPS_MAX // len(pairs))
    rewards = {reward for pair in pairs for side in pair for reward in side}
    least = math.lcm(*{len(side) for pair in pairs for side in pair})
    return (least, True) if rewards <= {0, 1} and least <= most else (most, False)


def _both_tails(moves: Sequence[int], observed: int) -> float:
    """The chance that the sum of ``moves``, each with a sign by chance, is at least ``observed`` away from 0."""
    if observed == 0:
        return 1.0
    import numpy as np  # takes a tenth of a second

    # The chance of each sum of those that go up; the whole sum is twice that less all moves.
    chances = np.zeros(sum(moves) + 1)
    chances[0], reached = 1.0, 0
    for move in moves:
        stays = chances[: reached + 1] * 0.5
        chances[: reached + 1] = stays
        chances[move : reached + move + 1] += stays
        reached += move
    # Summed up exactly, so that it is the same on every machine.
    return min(1.0, 2 * math.fsum(chances[: (reached - observed) // 2 + 1].tolist()))
