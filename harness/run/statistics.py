"""Intervals of proportions; pure arithmetic."""

import math
from typing import Final

# The standard normal distribution's 97.5 % point: with it an interval holds 95 %.
Z95: Final = 1.959963984540054


def wilson(total: float, n: int) -> tuple[float, float] | None:
    """Wilson's 95 % score interval of a mean of ``n`` numbers from 0 to 1 whose sum is ``total``; None for n = 0.

    It takes the ``n`` numbers as independent draws that are 0 or 1. Repeats of one task are not independent of each
    other, so with repeats it is narrower than it should be. Source: E. B. Wilson, JASA 22 (1927), 209-212.

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
