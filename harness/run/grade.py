"""Grading what a run has measured."""

from collections.abc import Sequence

from harness.benchmarks.base import Benchmark
from harness.grading import grader
from harness.grading.grader import Grader
from harness.run.plan import Item
from harness.run.summary import Result
from harness.store.runfolder import RunFolder

UNFINISHED = "unfinished"


async def grade(run: RunFolder, benchmark: Benchmark, grading: Grader, items: Sequence[Item]) -> list[Result]:
    """The result of each planned rollout, in the plan's order; what counts is graded, the rest has no reward."""
    return [await _grade(run, benchmark, grading, item) for item in items]


async def _grade(run: RunFolder, benchmark: Benchmark, grading: Grader, item: Item) -> Result:
    done = run.done(item.task, item.repeat)
    if done is None:
        attempts = run.attempts(item.task, item.repeat)
        last = run.read_attempt(item.task, item.repeat, attempts[-1].name) if attempts else None
        return Result(item.task, item.repeat, last.content.outcome.kind if last else UNFINISHED, None)
    content = run.rollout(done).content
    gold = benchmark.gold(item.task)
    answered = content.outcome.kind == "answered"
    score = await grading.grade(
        grader.Item(
            task=item.task,
            repeat=item.repeat,
            question=gold.question,
            gold=gold.answer,
            answer=content.answer if answered else None,
            ended=content.outcome.kind,
        )
    )
    outcome = score.failure_kind if score.mask_sample and score.failure_kind else content.outcome.kind
    return Result(item.task, item.repeat, outcome, score.reward)
