"""Grading the rollouts of a run: each call of the judge is kept in the run folder before it is used."""

import asyncio
from collections.abc import Mapping

import attrs

from harness.errors import JudgeError
from harness.grading import prompt
from harness.grading.extraction import boxed
from harness.grading.judge import Judge
from harness.grading.prompt import JudgeSettings
from harness.grading.score import Score, judged, read_call, unanswered
from harness.store.canonical import JSON
from harness.store.digests import Digest
from harness.store.grades import Grades, request_digest


@attrs.frozen(kw_only=True)
class Item:
    """One rollout to grade.

    ``answer``: the model's final text, None where the outcome is that there is none. ``ended`` names the outcome,
    ``failure_kind`` is Gym's word for it, None where nothing failed.
    """

    task: str
    repeat: int
    question: str
    gold: str
    answer: str | None
    ended: str
    failure_kind: str | None = None


@attrs.frozen
class Grader:
    """Grades rollouts with one scorer.

    Without a judge only what is kept is read; with ``ask_again`` a judge that failed before is asked once more.
    """

    grades: Grades
    scorer: Digest
    settings: JudgeSettings
    judge: Judge | None
    ask_again: bool = False
    _under_way: dict[Digest, asyncio.Lock] = attrs.field(factory=dict, init=False)

    async def grade(self, item: Item) -> Score:
        """Grade one rollout and keep its score; raises as the store does, never for a judge that failed."""
        score = await self._score(item)
        self.grades.write_score(self.scorer, item.task, item.repeat, score.to_json())
        return score

    async def _score(self, item: Item) -> Score:
        if item.answer is None or not item.answer.strip():
            return unanswered(item.ended, item.failure_kind)
        # A text of megabytes takes seconds; whoever else runs must not wait for it.
        extracted = await asyncio.to_thread(boxed, item.answer)
        request = prompt.request(self.settings, item.question, item.gold, extracted, item.answer)
        name = request_digest(request)
        # Equal answers to one question are one request: it is asked once, and the others read its reply.
        async with self._under_way.setdefault(name, asyncio.Lock()):
            await self._ask(request)
        return judged(extracted, item.gold, self.grades.judge_calls(request), model=self.settings.model, request=name)

    async def _ask(self, request: dict[str, JSON]) -> None:
        calls = self.grades.judge_calls(request)
        if self.judge is None or (calls and not self.ask_again) or any(map(_is_valid, calls)):
            return
        call = await self.judge.ask(request)
        self.grades.write_judge(request, call.to_json())


def _is_valid(call: Mapping[str, JSON]) -> bool:
    try:
        read_call(call)
    except JudgeError:
        return False
    return True
