"""What the repeats of each task add: the best of k, the vote of k, and how far whole repeats differ; pure arithmetic.

The names are NeMo Gym's, the values fractions (Gym's are percent). Only measured repeats count, in their order. For
each k those tasks count that have at least k of them; the others are ``left_out``.
"""

import math
import statistics
from collections.abc import Callable, Iterator, Sequence

import attrs

from harness.run.statistics import interval_of_means, mean
from harness.store.canonical import JSON


@attrs.frozen(kw_only=True)
class Repeats:
    """One task's repeats: the numbers of all and of the measured ones, and what each of these came to, in order.

    ``answers`` are as they are voted for: equal texts are one answer, None has no vote.
    """

    planned: Sequence[int]
    measured: Sequence[int]
    rewards: Sequence[float]
    answers: Sequence[str | None]


def pass_at(task: Repeats, k: int) -> float:
    """The expected best reward of ``k`` repeats, drawn from all that the task has.

    For rewards of 0 and 1 that is 1 - C(n - c, k) / C(n, k) for c of n right (M. Chen and others, Evaluating Large
    Language Models Trained on Code, arXiv 2107.03374, equation 1); for others, the same for each step up.
    """
    every = math.comb(len(task.rewards), k)
    steps, before = list[float](), 0.0
    for worse, reward in enumerate(sorted(task.rewards)):
        if reward > before:
            steps.append((reward - before) * (1 - math.comb(worse, k) / every))
            before = reward
    return min(1.0, math.fsum(steps))


def average_of(task: Repeats, k: int) -> float:
    """The mean reward of the first ``k`` repeats."""
    return math.fsum(task.rewards[:k]) / k


def majority_at(task: Repeats, k: int) -> float:
    """What the answer is worth that most of the first ``k`` repeats gave.

    Repeats without an extracted answer don't vote; where none votes it is 0. An answer is worth the mean reward of the
    repeats that gave it; answers with equally many votes, the mean of what they are worth.
    """
    votes: dict[str, list[float]] = {}
    for answer, reward in zip(task.answers[:k], task.rewards[:k], strict=True):
        if answer is not None:
            votes.setdefault(answer, []).append(reward)
    most = max(map(len, votes.values()), default=0)
    return mean([math.fsum(rewards) / most for rewards in votes.values() if len(rewards) == most]) or 0.0


def sizes(planned: int) -> list[int]:
    """The k that are looked at: each up to 8, then each power of two, and all repeats."""
    return [k for k in range(1, planned + 1) if k <= 8 or k & (k - 1) == 0 or k == planned]


def figures(tasks: Sequence[Repeats], planned: int) -> dict[str, JSON]:
    """The figures of ``planned`` repeats of some tasks; docs/results.md names the keys. Null: no task has k repeats."""
    of_each = _of_each(tasks, planned)
    there = [reward for reward in of_each if reward is not None]
    values, intervals, left_out = dict[str, JSON](), dict[str, JSON](), dict[str, JSON]()
    for k in sizes(planned):
        enough = [task for task in tasks if len(task.rewards) >= k]
        left_out[str(k)] = len(tasks) - len(enough)
        for name, figure, draws in _kinds(enough, k):
            found = [figure(task, k) for task in enough]
            between = interval_of_means(found, draws)
            values[name], intervals[name] = mean(found), None if between is None else list(between)
    return {
        "planned": planned,
        "rewards": of_each,
        "standard_error": statistics.stdev(there) / math.sqrt(len(there)) if len(there) > 1 else None,
        **values,
        "intervals": intervals,
        "left_out": left_out,
    }


def _kinds(tasks: Sequence[Repeats], k: int) -> Iterator[tuple[str, Callable[[Repeats, int], float], float]]:
    """Name, figure of one task, and of how many independent draws at the most the figures of all tasks were made."""
    yield f"pass@{k}", pass_at, sum(len(task.rewards) for task in tasks) / k
    if k > 1:
        yield f"pass@1[avg-of-{k}]", average_of, len(tasks) * k
        yield f"majority@{k}", majority_at, len(tasks)


def _of_each(tasks: Sequence[Repeats], planned: int) -> list[float | None]:
    """The mean reward of each whole repeat."""
    found: list[list[float]] = [[] for _ in range(planned)]
    for task in tasks:
        for number, reward in zip(task.measured, task.rewards, strict=True):
            found[number].append(reward)
    return [mean(rewards) for rewards in found]
