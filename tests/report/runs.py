"""Whole run folders for tests of what is read from them, made by the writers that a run uses."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from harness.agents.opencode import outcomes
from harness.benchmarks.babyvision.puzzle import Puzzle, task_set
from harness.grading.mode import JUDGED
from harness.grading.prompt import JudgeSettings
from harness.grading.score import Score, unanswered
from harness.grading.scorer import Scorer, scorer
from harness.run import scorers
from harness.store.digests import digest
from harness.store.manifest import Manifest
from harness.store.references import AttemptRef
from harness.store.runfolder import RunFolder
from tests.gateway.bodies import PNG, body, opening
from tests.report.talks import START, record, reply

GPT = scorer(JudgeSettings(), JUDGED)
OTHER = scorer(JudgeSettings(model="another-judge"), JUDGED)
GOLDS = {"1": "7", "2": "B", "3": "(2,3)"}


@attrs.frozen
class Made:
    """A run of some puzzles; each is of the type of its first digit."""

    run: RunFolder
    scorer: Scorer = GPT

    @property
    def path(self) -> str:
        return str(self.run.layout.root)

    def attempt(
        self,
        task: str,
        answer: str = "",
        *,
        repeat: int = 0,
        kind: str = "answered",
        exchanges: Sequence[tuple[bytes, bytes]] | None = None,
        **more: Any,
    ) -> AttemptRef:
        """Keep an attempt, by default of one call with this answer; publish it unless it is masked."""
        if exchanges is None:
            exchanges = [(body(opening()), reply(answer, usage={"prompt_tokens": 100, "completion_tokens": 7}))]
        blobs = self.run.blobs
        outcome = outcomes.of(kind)  # type: ignore[arg-type]
        kept = record(blobs, exchanges, task=task, repeat=repeat, images=(PNG,), outcome=outcome, **more)
        ref = self.run.write_attempt(kept)
        assert ref.masked or self.run.publish_done(ref)
        return ref

    def score(self, task: str, score: Score, repeat: int = 0, scorer: Scorer | None = None) -> None:
        """Keep a score; the scorer's description is kept with it."""
        named = scorer or self.scorer
        self.run.blobs.put(named.description)
        self.run.grades.write_score(named.digest, task, repeat, score.to_json())

    def answered(self, task: str, extracted: str | None, reward: float | None, repeat: int = 0, **more: Any) -> None:
        """Keep an attempt that ended with an answer, and its score; without a reward the judge failed."""
        self.attempt(task, f"\\boxed{{{extracted}}}", repeat=repeat, **more)
        self.score(task, scored(extracted, reward), repeat)

    def unanswered(self, task: str, kind: str, repeat: int = 0) -> None:
        """Keep an attempt without an answer, and its score."""
        self.attempt(task, repeat=repeat, kind=kind, chain=())
        self.score(task, unanswered(kind), repeat)


def scored(extracted: str | None, reward: float | None) -> Score:
    """A judge's score."""
    if reward is None:
        return Score(reward=None, extracted_answer=extracted, mask_sample=True, failure_kind="judge_failed")
    verdict = "equivalent" if reward else "different"
    return Score(reward=reward, extracted_answer=extracted, verdict=verdict, reason="They agree." if reward else "No.")


def made(
    path: Path,
    golds: Mapping[str, str] = GOLDS,
    *,
    repeats: int = 1,
    model: str = "m",
    scorer: Scorer = GPT,
    question: str = "",
) -> Made:
    """A new run folder, of which nothing is played; it is known to be graded by ``scorer``.

    All puzzles ask ``question``; without one each asks its own.
    """
    puzzles = [
        Puzzle(
            task_id=int(task),
            type=f"Type {task[0]}",
            subtype="Lines",
            question=question or f"What is {task}?",
            ans_type="blank",
            options=(),
            gold=gold,
            image=digest(PNG),
        )
        for task, gold in golds.items()
    ]
    run = folder(path, "babyvision", task_set(puzzles), {"tasks": list(golds), "repeats": repeats}, model)
    scorers.keep(run, scorer)
    return Made(run, scorer)


def folder(path: Path, benchmark: str, tasks: bytes, plan: Mapping[str, Any], model: str = "m") -> RunFolder:
    """A new run folder of a benchmark with this task set, of which nothing is known but its plan."""
    manifest = Manifest(
        benchmark=benchmark,
        tasks=digest(tasks),
        plan=plan,
        prompts={},
        rootfs=digest(b"rootfs"),
        agent={},
        model=model,
        sampling={},
        budgets={},
        limits={},
        date="Thu Jan 01 2026",
    )
    return RunFolder.create(path, manifest, tasks)


__all__ = ["GPT", "OTHER", "START", "Made", "folder", "made", "scored"]
