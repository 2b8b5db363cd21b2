"""Grading what a run has measured, while it still plays."""

import asyncio
import time

from harness.benchmarks.base import Graded
from harness.grading.grader import Grader
from harness.grading.item import Item as Rollout
from harness.run.facts import Facts
from harness.run.plan import Item
from harness.run.progress import Tally
from harness.run.results import counted, graded
from harness.run.summary import Result
from harness.store.runfolder import RunFolder

# Records that are read at once: reading costs processor time that the sandboxes need too.
READ_AT_ONCE = 2


class Grading:
    """Grades each rollout as soon as it is there; ``results`` has what came of it.

    A failure of the judge masks the rollout and raises nothing; what the store raises ends the ``tasks``.
    """

    def __init__(
        self, run: RunFolder, benchmark: Graded, grading: Grader, tasks: asyncio.TaskGroup, tally: Tally
    ) -> None:
        self.results = dict[Item, Result]()
        self._run = run
        self._benchmark = benchmark
        self._grader = grading
        self._tasks = tasks
        self._tally = tally
        self._reading = asyncio.Semaphore(READ_AT_ONCE)
        self._under_way: set[asyncio.Task[None]] = set()

    def add(self, item: Item, facts: Facts | None = None) -> None:
        """Have a rollout graded that counts; without ``facts`` they are read from its record."""
        self._tally.to_be_judged(item, time.monotonic())
        task = self._tasks.create_task(self._grade(item, facts))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def finished(self) -> None:
        """Wait until all that was added is graded or given up."""
        while self._under_way:
            await asyncio.wait(self._under_way)

    def stop(self) -> None:
        """Give up what is not graded yet: it can be graded by another call."""
        for task in self._under_way:
            task.cancel()

    async def _grade(self, item: Item, facts: Facts | None) -> None:
        if facts is None:
            async with self._reading:
                facts = await asyncio.to_thread(counted, self._run, item)
            assert facts is not None, "only what counts is graded"
        gold = self._benchmark.gold(item.task)
        rollout = Rollout.of(item.task, item.repeat, gold.question, gold.answer, facts.ended)
        score = await self._grader.grade(rollout)
        self.results[item] = graded(self._run, self._benchmark, item, facts, score)
        self._tally.settled(item, measured=score.reward is not None)
