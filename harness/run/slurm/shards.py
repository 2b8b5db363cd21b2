"""Which shards of a run still lack something: read from the run folder, whoever did the rest."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import attrs

from harness.errors import UsageError
from harness.run import scorers
from harness.run.plan import Item, plan, shard_of
from harness.store.digests import Digest
from harness.store.layout import Layout
from harness.store.runfolder import RunFolder


@attrs.frozen
class Left:
    """``shards``: each shard that lacks something, and how many rollouts of it; ``measured`` of ``planned`` count.

    ``given_up``: rollouts that have had all their attempts, all masked; no shard is sent out for them.
    """

    shards: dict[int, int]
    planned: int
    measured: int
    given_up: int


def left(path: Path, items: Sequence[Item], shards: int, attempts: int) -> Left:
    """What is left of the plan ``items``, with so many ``attempts`` for each; all of it where there is no run yet.

    A rollout that counts but has no reward (its grading was cut off, or the judge failed) is left too. Raises
    StoreCorruptError for a damaged run, UsageError for one of another plan, which each of the jobs would refuse.
    """
    if not Layout(path).manifest.is_file():
        return Left(_dealt(items, shards), len(items), 0, 0)
    run = RunFolder.open(path)
    tasks, repeats = run.manifest.planned
    if list(items) != list(plan(tasks, repeats=repeats)):
        raise UsageError(
            f"{path} is a run of {run.manifest.benchmark} with {len(tasks)} tasks, {repeats} times each, and not of "
            f"these {len(items)} rollouts. Give that run's settings, or another --run."
        )
    scorer = scorers.current(run)
    measured, given_up, lacking = 0, 0, list[Item]()
    for item in items:
        if run.done(item.task, item.repeat) is not None:
            measured += 1
            if not _graded(run, scorer, item):
                lacking.append(item)
        elif len(run.attempt_names(item.task, item.repeat)) < attempts:
            lacking.append(item)
        else:
            given_up += 1
    return Left(_dealt(lacking, shards), len(items), measured, given_up)


def largest(items: Sequence[Item], shards: int) -> int:
    """How many rollouts the largest shard has."""
    return max(_dealt(items, shards).values(), default=0)


def _dealt(items: Sequence[Item], shards: int) -> dict[int, int]:
    return dict(sorted(Counter(shard_of(item, shards) for item in items).items()))


def _graded(run: RunFolder, scorer: Digest | None, item: Item) -> bool:
    score = None if scorer is None else run.grades.score(scorer, item.task, item.repeat)
    return score is not None and score.get("mask_sample") is False


def ranges(numbers: Sequence[int]) -> str:
    """Sorted numbers as sbatch's --array takes them: ``0-3,7``."""
    parts, start = list[str](), 0
    for at, number in enumerate(numbers):
        if at + 1 == len(numbers) or numbers[at + 1] != number + 1:
            first = numbers[start]
            parts.append(str(first) if first == number else f"{first}-{number}")
            start = at + 1
    return ",".join(parts)
