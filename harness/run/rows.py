"""A run's rollouts and what was said of each, for whoever looks at them or compares them; from the run folder alone."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

import attrs

from harness.benchmarks.base import Graded
from harness.grading.score import Score
from harness.grading.scorer import Scorer
from harness.run import results, scorers
from harness.run.plan import Item
from harness.run.summary import Result, figures
from harness.store import reading
from harness.store.canonical import JSON
from harness.store.digests import Digest, digest
from harness.store.runfolder import RunFolder

# A scorer that no run has.
_NONE = digest(b"")


@attrs.frozen
class Row:
    """One planned rollout; ``score`` where it has one, ``content`` (its content digest) where it was measured."""

    result: Result
    score: Score | None
    content: Digest | None


@attrs.frozen(slots=False)
class Looked:
    """A run that is looked at as one scorer graded it; None where it was never graded."""

    run: RunFolder
    benchmark: Graded
    scorer: Scorer | None

    @classmethod
    def open(cls, path: Path, scorer: str | None = None) -> "Looked":
        """Open a run folder; ``scorer`` is how a scorer's name begins, None for the one that the run is graded by.

        Raises UsageError where there is no such folder or scorer, StoreCorruptError for damage.
        """
        run = RunFolder.open(path)
        name = scorers.current(run) if scorer is None else scorers.chosen(run, scorer)
        return cls(run, scorers.benchmark_of(run), None if name is None else scorers.read(run, name))

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """Every planned rollout, by task in the benchmark's order and then by repeat."""
        planned = results.planned(self.run, self.benchmark)
        places = {task: place for place, task in enumerate(dict.fromkeys(item.task for item in planned))}
        return tuple(sorted(planned, key=lambda item: (places[item.task], item.repeat)))

    def rows(self) -> Iterator[Row]:
        """What became of each planned rollout, in the order of `items`."""
        return map(self.row, self.items)

    def row(self, item: Item) -> Row:
        """What became of one planned rollout."""
        run, name = self.run, self.scorer.digest if self.scorer else _NONE
        done = run.done(item.task, item.repeat)
        if done is None:
            return Row(results.missing(run, self.benchmark, item), None, None)
        kept = run.grades.score(name, item.task, item.repeat)
        if kept is None:
            return Row(results.kept(run, self.benchmark, name, item), None, done.content)
        facts = results.published(run, done)
        with reading.corrupt(run.layout.score(name, item.task, item.repeat)):
            score = Score.from_json(kept)
        return Row(results.graded(run, self.benchmark, item, facts, score), score, done.content)

    def about(self, rows: Iterable[Row]) -> dict[str, JSON]:
        """What the run is, and the figures of its rows."""
        run = self.run
        return {
            "run": str(run.layout.root),
            "benchmark": run.manifest.benchmark,
            "manifest": run.identity,
            "content_digest": run.content_digest(),
            "policy_model": run.manifest.model,
            "judge_model": self.scorer.judge.model if self.scorer else None,
            "scorer": self.scorer.digest if self.scorer else None,
            **figures([row.result for row in rows]),
        }
