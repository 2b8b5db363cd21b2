"""Asking the judge again: only this part of scoring again talks to anybody."""

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import attrs

from harness.grading import judge as judging
from harness.grading import rule
from harness.grading.grader import Grader
from harness.grading.judge import Call, Replies
from harness.run.endpoints import connect, preflight
from harness.run.plan import Item
from harness.run.rescoring.scoring import Scoring
from harness.run.settings.resolve import Settings
from harness.store.canonical import JSON

Say = Callable[[str], None]

HEARTBEAT: Final = 30.0  # seconds between two lines that say how far it is


def next_judging(scoring: Scoring, items: Sequence[Item]) -> int:
    """The first judging of which no reply is kept, for the requests of this scorer's judge."""
    last = -1
    for request in _requests(scoring, items):
        for call in scoring.run.grades.judge_calls(request).values():
            number = call.get("judging")
            last = max(last, number if isinstance(number, int) else last)
    return last + 1


def ask(scorings: Sequence[Scoring], items: Sequence[Item], settings: Settings, say: Say) -> int:
    """Ask the judge about each answered rollout that has no valid verdict yet, in each judging; how often it was asked.

    A judge that fails is a result: that rollout is masked. Raises UsageError and UpstreamError where the judge can't be
    used at all, and as the store does.
    """
    needed = [scoring for scoring in scorings if _is_needed(scoring, items)]
    return asyncio.run(_ask(needed, items, settings, say)) if needed else 0


def _is_needed(scoring: Scoring, items: Sequence[Item]) -> bool:
    grader = Grader(scoring.run.grades, scoring.scorer, None, ask_again=True)
    return any(grader.is_to_be_asked(request) for request in _requests(scoring, items))


def _requests(scoring: Scoring, items: Sequence[Item]) -> Iterator[Mapping[str, JSON]]:
    for item in items:
        rollout = scoring.rollout(item)
        about = None if rollout is None else rule.asked(scoring.scorer.judge, rollout)
        if about is not None:
            yield about.request


@attrs.define
class _Counted:
    """A judge whose replies are counted."""

    judge: Replies
    asked: int = 0

    async def ask(self, request: Mapping[str, JSON]) -> Call:
        call = await self.judge.ask(request)
        self.asked += 1
        return call


async def _ask(scorings: Sequence[Scoring], items: Sequence[Item], settings: Settings, say: Say) -> int:
    model = scorings[0].scorer.judge
    async with connect.judge_alone(settings, model.model) as endpoint:
        if not settings["no_preflight"]:
            await preflight.judge(endpoint, model)
        async with judging.connect(endpoint) as judge:
            counted = _Counted(judge)
            graders = [Grader(each.run.grades, each.scorer, counted, ask_again=True) for each in scorings]
            work = iter([(*pair, item) for pair in zip(scorings, graders, strict=True) for item in items])
            try:
                async with asyncio.TaskGroup() as group:
                    ticking = group.create_task(_tick(counted, say))
                    await asyncio.gather(*(group.create_task(_work(work)) for _ in range(endpoint.concurrency)))
                    ticking.cancel()
            except ExceptionGroup as failed:
                # The first one has ended the others; it says what happened.
                raise failed.exceptions[0] from None
            return counted.asked


async def _work(work: Iterator[tuple[Scoring, Grader, Item]]) -> None:
    for scoring, grader, item in work:
        rollout = await asyncio.to_thread(scoring.rollout, item)
        if rollout is not None:
            await grader.ask(rollout)


async def _tick(judge: _Counted, say: Say) -> None:
    began = time.monotonic()
    while True:
        await asyncio.sleep(HEARTBEAT)
        say(f"the judge was asked {judge.asked} times in {time.monotonic() - began:.0f} s")
