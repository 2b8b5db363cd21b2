"""NeMo Gym's figures of repeats: pass@k, the mean of the first k, and the vote of the first k, in percent.

`harness.run.repeats` has our own, which differ where tasks have different numbers of measured repeats: here only
pass@k leaves out a task with fewer than k. Repeats are counted as they were measured, without the masked ones.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

# One measured rollout: its reward, and the answer that was extracted from it.
Outcome = tuple[float, str | None]


def passing(tasks: Sequence[Sequence[Outcome]]) -> dict[str, Any]:
    """The figures of ``accuracy``, which is the reward, and of ``no_answer``: 1 where no answer was extracted."""
    if not tasks:
        return {}
    scores = {
        "accuracy": [[reward for reward, _ in task] for task in tasks],
        "no_answer": [[float(answer is None) for _, answer in task] for task in tasks],
    }
    answers = [[answer for _, answer in task] for task in tasks]
    most = max(map(len, tasks))
    found: dict[str, Any] = {}
    for k in range(1, most + 1):
        for name, values in scores.items():
            passed = [_passed(task, k) for task in values if len(task) >= k]
            found[f"pass@{k}/{name}"] = _percent(passed)
            found[f"pass@1[avg-of-{k}]/{name}"] = _percent([_mean(task[:k]) for task in values])
            voted = [_voted(given[:k], task[:k]) for given, task in zip(answers, values, strict=True)]
            found[f"majority@{k}/{name}"] = _percent(voted)
    return found | _runs(scores, most)


def _passed(values: Sequence[float], k: int) -> float:
    """The chance that one of ``k`` repeats passes; for rewards between 0 and 1 the best of the first k."""
    if any(value not in (0, 1) for value in values):
        return max(values[:k])
    wrong = values.count(0.0)
    return 1.0 - math.comb(wrong, k) / math.comb(len(values), k)


def _voted(answers: Sequence[str | None], values: Sequence[float]) -> float:
    """What the commonest answer is worth; 0 where there is none, the mean of all that are as common."""
    votes = Counter((answer, value) for answer, value in zip(answers, values, strict=True) if answer is not None)
    most = max(votes.values(), default=0)
    return _mean([value for (_, value), count in votes.items() if count == most]) if votes else 0.0


def _runs(scores: Mapping[str, Sequence[Sequence[float]]], most: int) -> dict[str, Any]:
    """What each whole repeat comes to, and how far the first k of them differ."""
    of_each = {
        name: [_percent([task[run] for task in values if run < len(task)]) for run in range(most)]
        for name, values in scores.items()
    }
    found: dict[str, Any] = {"per_sample_aggregate": of_each}
    for k in range(2, most + 1):
        for name, runs in of_each.items():
            middle = _mean(runs[:k])
            deviation = math.sqrt(math.fsum((run - middle) ** 2 for run in runs[:k]) / (k - 1))
            found[f"pass@1[avg-of-{k}]/{name}/std_dev_across_runs"] = deviation
            found[f"pass@1[avg-of-{k}]/{name}/std_err_across_runs"] = deviation / math.sqrt(k)
    return found


def _percent(values: Sequence[float]) -> float:
    return 100.0 * _mean(values)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
