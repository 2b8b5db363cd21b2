"""Grading the rollouts of a run: each call of the judge is kept in the run folder before it is used."""

import asyncio
from collections.abc import Mapping

import attrs

from harness.errors import JudgeError
from harness.grading import checked, rule
from harness.grading.item import Item
from harness.grading.judge import Replies
from harness.grading.own import Own
from harness.grading.rule import Asked
from harness.grading.score import Score, read_call
from harness.grading.scorer import Scorer
from harness.store.canonical import JSON
from harness.store.digests import Digest
from harness.store.grades import Grades


@attrs.frozen
class Grader:
    """Grades rollouts with one scorer.

    Without a judge only what is kept is read; with ``ask_again`` a judge that failed before is asked once more. With
    ``own``, whose rule grades, there is none to ask.
    """

    grades: Grades
    scorer: Scorer
    judge: Replies | None
    ask_again: bool = False
    own: Own | None = None
    _under_way: dict[Digest, asyncio.Lock] = attrs.field(factory=dict, init=False)

    async def grade(self, item: Item) -> Score:
        """Grade one rollout and keep its score; raises as the store does, never for a judge that failed.

        UsageError where a rule of one's own fails.
        """
        if self.own is not None and self.own.rule is not None:
            score = await asyncio.to_thread(checked.score, self.own, item)
        else:
            about = await self.ask(item)
            calls = {} if about is None else self.grades.judge_calls(about.request, about.name)
            score = rule.score(self.scorer.judge, self.scorer.judging, item, about, calls)
        self.grades.write_score(self.scorer.digest, item.task, item.repeat, score.to_json())
        return score

    async def ask(self, item: Item) -> Asked | None:
        """Ask the judge about a rollout if that is to be done, and keep what came of it; what it is asked."""
        # A text of megabytes takes seconds; whoever else runs must not wait for it.
        about = await asyncio.to_thread(rule.asked, self.scorer.judge, item)
        if about is not None:
            # Equal answers to one question are one request: it is asked once, and the others read its reply.
            async with self._under_way.setdefault(about.name, asyncio.Lock()):
                await self._ask(about.request)
        return about

    def is_to_be_asked(self, request: Mapping[str, JSON]) -> bool:
        """Whether no valid verdict is kept in this judging, and the judge is to be asked for one."""
        calls = rule.own(self.grades.judge_calls(request), self.scorer.judging).values()
        return (self.ask_again or not calls) and not any(map(_is_valid, calls))

    async def _ask(self, request: Mapping[str, JSON]) -> None:
        if self.judge is not None and self.is_to_be_asked(request):
            call = await self.judge.ask(request)
            self.grades.write_judge(request, {**call.to_json(), "judging": self.scorer.judging})


def _is_valid(call: Mapping[str, JSON]) -> bool:
    try:
        read_call(call)
    except JudgeError:
        return False
    return True
