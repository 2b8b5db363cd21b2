"""Scores from a run's files alone: each is computed from the record, the task set and the judge's kept replies."""

from collections.abc import Sequence
from functools import partial

import attrs

from harness.benchmarks.base import Graded
from harness.errors import CanonicalError, StoreCorruptError, UnknownNameError
from harness.grading import checked, rule
from harness.grading.item import Item as Rollout
from harness.grading.score import Score
from harness.grading.scorer import Scorer
from harness.run.facts import Facts
from harness.run.plan import Item
from harness.run.rescoring.shares import shared
from harness.run.results import counted, graded, missing, published
from harness.run.summary import Result
from harness.store import reading
from harness.store.digests import Digest
from harness.store.references import Done
from harness.store.runfolder import RunFolder
from harness.store.sealed import seal, unseal


@attrs.frozen
class Mark:
    """What a score comes to."""

    reward: float | None
    verdict: str | None


@attrs.frozen(kw_only=True)
class Row:
    """One rollout of the plan, scored again.

    ``done`` and ``mark`` are None where nothing counts; ``before`` is what an earlier scorer's file says, None where
    there is none. ``differs``: the file of this score has other bytes, or isn't there.
    """

    item: Item
    result: Result
    done: Done | None = None
    mark: Mark | None = None
    before: Mark | None = None
    differs: bool = False


@attrs.frozen
class Scoring:
    """Scores a run with one scorer; every method raises StoreCorruptError for damage."""

    run: RunFolder
    benchmark: Graded
    scorer: Scorer
    before: Digest | None = None  # the scorer whose scores rows are compared with

    def rows(self, items: Sequence[Item], *, write: bool) -> list[Row]:
        """Score these rollouts, in several processes; ``write``: keep what differs from the files."""
        return shared(partial(self._part, write=write), items)

    def rollout(self, item: Item) -> Rollout | None:
        """What is graded of a rollout; None where nothing counts."""
        facts = counted(self.run, item)
        return None if facts is None else self._rollout(item, facts)

    def _rollout(self, item: Item, facts: Facts) -> Rollout:
        try:
            gold = self.benchmark.gold(item.task)
        except UnknownNameError as error:
            plan = self.run.layout.manifest
            raise StoreCorruptError(f"{plan} plans what the task set doesn't hold: {error}") from error
        return Rollout.of(item.task, item.repeat, gold.question, gold.answer, facts.ended)

    def _part(self, items: Sequence[Item], *, write: bool) -> list[Row]:
        rows, files = list[Row](), list[tuple[str, int, bytes]]()
        for item in items:
            row, data = self._row(item)
            rows.append(row)
            if row.differs:
                files.append((item.task, item.repeat, data))
        if write:
            self.run.grades.write_scores(self.scorer.digest, files)
        return rows

    def _row(self, item: Item) -> tuple[Row, bytes]:
        run = self.run
        done = run.done(item.task, item.repeat)
        if done is None:
            return Row(item=item, result=missing(run, self.benchmark, item)), b""
        facts = published(run, done)
        score = self._score(self._rollout(item, facts))
        data = seal(score.to_json())
        there = reading.read_if_there(run.layout.score(self.scorer.digest, item.task, item.repeat))
        before = there
        if self.before is not None and self.before != self.scorer.digest:
            before = reading.read_if_there(run.layout.score(self.before, item.task, item.repeat))
        row = Row(
            item=item,
            result=graded(run, self.benchmark, item, facts, score),
            done=done,
            mark=Mark(score.reward, score.verdict),
            before=_mark(before),
            differs=there != data,
        )
        return row, data

    def _score(self, rollout: Rollout) -> Score:
        own = self.benchmark.mode.own
        if own is not None and own.rule is not None:
            return checked.score(own, rollout)
        judge = self.scorer.judge
        about = rule.asked(judge, rollout)
        calls = {} if about is None else self.run.grades.judge_calls(about.request, about.name)
        return rule.score(judge, self.scorer.judging, rollout, about, calls)


def _mark(data: bytes | None) -> Mark | None:
    """What a kept score comes to; None where it is damaged, since it is only compared with."""
    try:
        score = unseal(data or b"")
    except CanonicalError:
        return None
    return Mark(score.get("reward"), score.get("verdict"))
