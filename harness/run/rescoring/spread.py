"""How much of a result's spread is the judge's own: the same answers, judged several times."""

import itertools
import statistics
from collections.abc import Sequence

from harness.run.rescoring.scoring import Row
from harness.run.statistics import mean, standard_error
from harness.store.canonical import JSON


def spread(judgings: Sequence[Sequence[Row]]) -> dict[str, JSON]:
    """Figures of at least two judgings of the same rollouts in the same order.

    ``agreement`` is the share of pairs of judgings with the same verdict, over the ``judged`` rollouts, which have one
    in each; ``flips`` counts those with different ones. ``means`` are the judgings' mean rewards over the ``measured``
    rollouts, those without an answer too; their ``standard_deviation`` (n - 1) is what the judge adds to the mean.
    ``standard_error`` is that of the mean over tasks, of each rollout's mean reward.
    """
    verdicts, rewards = list[list[str]](), list[list[float]]()
    tasks = dict[str, list[float]]()
    for rows in zip(*judgings, strict=True):
        marks = [row.mark for row in rows if row.mark is not None]
        given = [mark.reward for mark in marks if mark.reward is not None]
        if len(given) == len(judgings):
            rewards.append(given)
            tasks.setdefault(rows[0].item.task, []).append(sum(given) / len(given))
            said = [mark.verdict for mark in marks if mark.verdict is not None]
            verdicts += [said] if said else []
    pairs = [one == other for said in verdicts for one, other in itertools.combinations(said, 2)]
    means = [sum(of_judging) / len(of_judging) for of_judging in zip(*rewards, strict=True)]
    return {
        "judgings": len(judgings),
        "judged": len(verdicts),
        "measured": len(rewards),
        "agreement": mean([float(same) for same in pairs]),
        "flips": sum(len(set(said)) > 1 for said in verdicts),
        "means": list(means),
        "standard_deviation": statistics.stdev(means) if means else None,
        "standard_error": standard_error(list(tasks.values())),
    }
