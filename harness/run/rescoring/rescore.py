"""Scoring a run again: which scorer, whom to ask, what to write or to compare, and what moved."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import attrs

from harness.benchmarks.base import Graded
from harness.errors import UsageError
from harness.grading import mode
from harness.grading.prompt import JudgeSettings
from harness.grading.scorer import Scorer
from harness.run import own, scorers
from harness.run.plan import Item
from harness.run.rescoring.checking import Difference, differences
from harness.run.rescoring.moved import moved
from harness.run.rescoring.scoring import Row, Scoring
from harness.run.rescoring.spread import spread
from harness.run.results import keep_summary, planned, summed_up
from harness.run.settings.resolve import Settings, chosen
from harness.store.canonical import JSON
from harness.store.digests import Digest
from harness.store.references import content_of
from harness.store.runfolder import RunFolder
from harness.store.sealed import seal

# Settings that decide a verdict, and the field of `JudgeSettings` that each is. The environment doesn't change them:
# a name left in it by another run would make another scorer.
DECIDING: Final[Mapping[str, str]] = {
    "judge_model": "model",
    "judge_temperature": "temperature",
    "judge_top_p": "top_p",
    "judge_max_tokens": "max_tokens",
    "judge_max_tokens_field": "max_tokens_field",
}


@attrs.frozen(kw_only=True)
class Wanted:
    """What is to be done.

    ``judge``: where replies come from. ``repeats``: how many judgings are compared. ``judging`` and ``scorer`` (the
    beginning of a name) choose another one than the run's own. ``benchmark``: the file of one's own benchmark.
    """

    judge: mode.Judge = "recorded"
    repeats: int = 1
    judging: int | None = None
    scorer: str | None = None
    benchmark: Path | None = None


@attrs.frozen
class Rescoring:
    """One run that is scored again."""

    run: RunFolder
    benchmark: Graded
    items: tuple[Item, ...]
    before: Digest | None  # the scorer that the run is graded by until now
    scorer: Scorer

    @classmethod
    def of(cls, path: Path, wanted: Wanted, settings: Settings) -> "Rescoring":
        """Find out what is to be scored, and by which scorer.

        Raises UsageError for what is no run or can't be done with it, StoreCorruptError for damage.
        """
        run = RunFolder.open(path)
        benchmark = own.graded(run, wanted.benchmark)
        benchmark.mode.check(benchmark.name, wanted.judge, wanted.repeats)
        current = scorers.current(run)
        base = current if wanted.scorer is None else scorers.chosen(run, wanted.scorer)
        known = None if base is None else scorers.read(run, base)
        judge = _judge(known, settings)
        usual = known.judging if known is not None and known.judge == judge else 0
        judging = usual if wanted.judging is None else wanted.judging
        return cls(run, benchmark, planned(run, benchmark), current, scorers.scorer_of(benchmark, judge, judging))

    def check(self) -> tuple[list[Row], list[Difference]]:
        """Score all and compare with what is there; nothing is written."""
        rows = self._scoring(0).rows(self.items, write=False)
        return rows, differences(self.run, self.scorer.digest, rows, seal(self._summary(rows)))

    def rescore(self, wanted: Wanted, settings: Settings, say: Callable[[str], None]) -> dict[str, JSON]:
        """Ask whom it takes, score all, keep the scores and the summary; the object that ``--json`` prints."""
        if wanted.judge == "live":
            from harness.run.rescoring.asking import next_judging  # with the endpoints, which take a second to import

            judging = next_judging(self._scoring(0), self.items)
            return attrs.evolve(self, scorer=self.scorer.with_judging(judging))._rescore(wanted, settings, say)
        return self._rescore(wanted, settings, say)

    def _rescore(self, wanted: Wanted, settings: Settings, say: Callable[[str], None]) -> dict[str, JSON]:
        scorings = [self._scoring(number) for number in range(wanted.repeats)]
        asked = 0
        if wanted.judge != "recorded":
            asked = self._ask(scorings, settings, say)
        others = list[list[Row]]()
        for scoring in scorings[1:]:
            others.append(scoring.rows(self.items, write=False))
            if wanted.judge == "recorded":
                _check_recorded(scoring, others[-1])  # before the next: there may be a thousand that never were
        if wanted.judge == "recorded" and wanted.judging:
            _check_recorded(scorings[0], scorings[0].rows(self.items, write=False))
        # The description before the scores that are named after it. The run is graded by them once all are there.
        self.run.blobs.put(self.scorer.description)
        rows = scorings[0].rows(self.items, write=True)
        scorers.keep(self.run, self.scorer, self.benchmark.mode.own)
        summary = self._summary(rows)
        keep_summary(self.run, seal(summary))
        return {
            "run": str(self.run.layout.root),
            "judge": wanted.judge,
            "judging": self.scorer.judging,
            "asked": asked,
            "written": sum(row.differs for row in rows),
            "scorer_before": self.before,
            "moved": moved(rows),
            "judge_repeats": spread([rows, *others]) if others else None,
            **summary,
        }

    def _ask(self, scorings: list[Scoring], settings: Settings, say: Callable[[str], None]) -> int:
        from harness.run.rescoring.asking import ask

        try:
            return ask(scorings, self.items, settings, say)
        except KeyboardInterrupt:
            judging = self.scorer.judging
            say(f"what was answered is kept; to go on: the same options with --judge failed --judging {judging}")
            raise

    def _scoring(self, further: int) -> Scoring:
        """Scores with the replies of so many judgings later."""
        scorer = self.scorer.with_judging(self.scorer.judging + further)
        return Scoring(self.run, self.benchmark, scorer, self.before)

    def _summary(self, rows: list[Row]) -> dict[str, JSON]:
        content = content_of(row.done for row in rows if row.done is not None)
        return summed_up(self.run, self.scorer, content, [row.result for row in rows])


def _judge(known: Scorer | None, settings: Settings) -> JudgeSettings:
    """The judge of the scorer that is known, with what flags and settings file change."""
    if known is None and not chosen(settings, "judge_model"):
        raise UsageError("Nothing in the run says which judge graded it. Name one: --judge-model")
    if known is None:
        return JudgeSettings(**{field: settings[name] for name, field in DECIDING.items()})
    changes = {field: settings[name] for name, field in DECIDING.items() if chosen(settings, name)}
    return attrs.evolve(known.judge, **changes)


def _check_recorded(scoring: Scoring, rows: list[Row]) -> None:
    """Raises UsageError for a judging that there never was."""
    marks = [row.mark for row in rows if row.mark is not None]
    if any(mark.reward is None for mark in marks) and not any(mark.verdict for mark in marks):
        raise UsageError(
            f"No verdict of judging {scoring.scorer.judging} is kept. To ask for what is missing of all judgings: "
            "--judge failed; to ask anew for each: --judge live"
        )
