"""How far whole repeats of a run differ: figures of their means, field by field."""

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Final

# Fields whose mean can't leave [0, 1]; so their interval can't either (Gym's can).
_SHARES: Final = frozenset({"reward", "mask_sample", "string_match_reward", "finished_naturally"})


def repeating(rollouts: Sequence[tuple[int, Mapping[str, float]]]) -> dict[str, float]:
    """Figures of the repeats' means; ``rollouts`` are repeats with their values. Nothing for fewer than two repeats.

    The interval is Student's, which takes the means as normal.
    """
    repeats = sorted({repeat for repeat, _ in rollouts})
    if len(repeats) < 2:
        return {}
    found: dict[str, float] = {}
    for name in {name: None for _, values in rollouts for name in values}:
        means = [mean for repeat in repeats if (mean := _mean_of(rollouts, repeat, name)) is not None]
        if len(means) > 1:
            for figure, value in _figures(means, share=name in _SHARES).items():
                found[f"{figure}_across_repeats/mean/{name}"] = value
    return found


def _mean_of(rollouts: Sequence[tuple[int, Mapping[str, float]]], repeat: int, name: str) -> float | None:
    values = [values[name] for number, values in rollouts if number == repeat and name in values]
    return math.fsum(values) / len(values) if values else None


def _figures(means: Sequence[float], *, share: bool) -> dict[str, float]:
    from scipy.special import stdtrit  # the quantile of Student's distribution

    n = len(means)
    middle = math.fsum(means) / n
    deviation = math.sqrt(math.fsum((mean - middle) ** 2 for mean in means) / (n - 1))
    error = deviation / math.sqrt(n)
    reach = float(stdtrit(n - 1, 0.975)) * error
    low, high = (0.0, 1.0) if share else (-math.inf, math.inf)
    return {
        "mean": middle,
        "median": statistics.median(means),
        "std": deviation,
        "min": min(means),
        "max": max(means),
        "se": error,
        "ci_low_95": max(low, middle - reach),
        "ci_high_95": min(high, middle + reach),
    }
