"""What moved between two scorings of the same rollouts."""

from collections import Counter
from collections.abc import Iterable

from harness.run.rescoring.scoring import Mark, Row
from harness.store.canonical import JSON


def moved(rows: Iterable[Row]) -> dict[str, JSON]:
    """Each rollout whose reward or verdict is another one than before, and how many moved from what to what.

    ``compared`` counts the rollouts that had a score before.
    """
    compared = [(row, row.before, row.mark) for row in rows if row.before is not None and row.mark is not None]
    found = [(row, before, mark) for row, before, mark in compared if before != mark]
    return {
        "compared": len(compared),
        "rows": [
            {"task": row.item.task, "repeat": row.item.repeat, "old": _json(before), "new": _json(mark)}
            for row, before, mark in found
        ],
        "counts": dict(sorted(Counter(f"{named(before)} -> {named(mark)}" for _, before, mark in found).items())),
    }


def named(mark: Mark) -> str:
    """In words: the verdict and what it is worth."""
    if mark.reward is None:
        return "masked"
    return f"{mark.reward:g} ({mark.verdict or 'no verdict'})"


def _json(mark: Mark) -> dict[str, JSON]:
    return {"reward": mark.reward, "verdict": mark.verdict}
