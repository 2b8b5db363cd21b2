"""What an export reads: a run folder's planned rollouts with their attempts and scores, one after the other."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import attrs

from harness.benchmarks.base import Graded
from harness.errors import StoreCorruptError
from harness.grading.score import Score
from harness.run import scorers
from harness.run.plan import Item
from harness.run.results import UNFINISHED, UNGRADED, planned
from harness.store import reading
from harness.store.digests import Digest
from harness.store.record import AttemptRecord
from harness.store.replay import Replay
from harness.store.runfolder import RunFolder


@attrs.frozen
class Attempt:
    """One attempt; ``number`` counts a rollout's attempts from 0, by the time at which they began."""

    number: int
    name: str
    record: AttemptRecord


@attrs.frozen(kw_only=True)
class Rollout:
    """One planned rollout. ``place`` is its task's place in the plan, from 0.

    ``counts`` is the attempt that counts, None where none does; ``score`` what it is worth, None where nobody has
    graded it.
    """

    item: Item
    place: int
    attempts: tuple[Attempt, ...]
    counts: Attempt | None
    score: Score | None

    @property
    def last(self) -> Attempt | None:
        """The attempt that says what became of it: the one that counts, else the last one."""
        return self.counts or (self.attempts[-1] if self.attempts else None)

    @property
    def reward(self) -> float | None:
        """Its reward; None where it was not measured."""
        return None if self.score is None else self.score.reward

    @property
    def outcome(self) -> str:
        """What became of it, in the words of docs/outcomes.md and docs/results.md."""
        if self.score is not None and self.score.mask_sample and self.score.failure_kind:
            return self.score.failure_kind
        if self.counts is not None and self.score is None:
            return UNGRADED
        return self.last.record.content.outcome.kind if self.last else UNFINISHED


@attrs.frozen
class Source:
    """A run folder as an export reads it; ``scorer`` is None where nothing was graded yet.

    Every method raises StoreCorruptError, with the path, for what is damaged.
    """

    run: RunFolder
    tasks: Graded
    scorer: Digest | None

    @classmethod
    def open(cls, path: Path, scorer: str | None = None) -> "Source":
        """Open a run folder; ``scorer`` is the beginning of a scorer's name, None for the one that grades it now.

        Raises UsageError where there is no run, or no such scorer.
        """
        run = RunFolder.open(path)
        found = scorers.current(run) if scorer is None else scorers.chosen(run, scorer)
        return cls(run, scorers.benchmark_of(run), found)

    def rollouts(self) -> Iterator[Rollout]:
        """Every planned rollout, by task in the order of the plan, then by repeat."""
        items = planned(self.run, self.tasks)
        places = {task: place for place, task in enumerate(dict.fromkeys(item.task for item in items))}
        for item in sorted(items, key=lambda item: (places[item.task], item.repeat)):
            yield self._rollout(item, places[item.task])

    def replay(self, attempt: Attempt) -> Replay:
        """The bodies of an attempt."""
        return Replay(attempt.record, self.run.blobs)

    @contextlib.contextmanager
    def named(self, rollout: Rollout, attempt: Attempt) -> Iterator[None]:
        """Damage that is found in the block is said with the attempt's path."""
        try:
            yield
        except StoreCorruptError as error:
            path = self.run.layout.attempt(rollout.item.task, rollout.item.repeat, attempt.name)
            raise StoreCorruptError(f"{path}: {error}") from error

    def _rollout(self, item: Item, place: int) -> Rollout:
        run = self.run
        names = run.attempt_names(item.task, item.repeat)
        read = [(run.read_attempt(item.task, item.repeat, name), name) for name in names]
        read.sort(key=lambda pair: (pair[0].observed.started_ns, pair[1]))
        attempts = tuple(Attempt(number, name, record) for number, (record, name) in enumerate(read))
        counts = self._counted(item, attempts)
        score = None if counts is None else self._score(item)
        return Rollout(item=item, place=place, attempts=attempts, counts=counts, score=score)

    def _counted(self, item: Item, attempts: tuple[Attempt, ...]) -> Attempt | None:
        done = self.run.done(item.task, item.repeat)
        if done is None:
            return None
        # Another process may have brought its attempt to an end just now.
        found = next((attempt for attempt in attempts if attempt.name == done.attempt), None)
        return found or Attempt(len(attempts), done.attempt, self.run.rollout(done))

    def _score(self, item: Item) -> Score | None:
        if self.scorer is None:
            return None
        path = self.run.layout.score(self.scorer, item.task, item.repeat)
        with reading.corrupt(path):
            value = self.run.grades.score(self.scorer, item.task, item.repeat)
            return None if value is None else Score.from_json(value)
