"""A whole run: prepare it, play what is missing, grade meanwhile, sum up."""

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import attrs

from harness.benchmarks.base import Benchmark
from harness.errors import HarnessError
from harness.grading import judge as judging
from harness.grading.grader import Grader
from harness.grading.judge import Replies
from harness.grading.mode import JUDGED
from harness.run import owners, room, tasks
from harness.run.endpoints.connect import Endpoints, endpoints
from harness.run.endpoints.recorded import RecordedRun, replayed
from harness.run.grade import Grading
from harness.run.interrupts import Interrupts
from harness.run.own import Scripted
from harness.run.plan import Item, plan
from harness.run.play import Player
from harness.run.prepare import Prepared, prepare
from harness.run.progress import Show, Tally, several
from harness.run.queue import Queue
from harness.run.results import keep_summary, kept, summary_bytes, summed_up
from harness.run.settings.resolve import Settings
from harness.run.summary import Result
from harness.sandbox import state
from harness.sandbox.values import MIB
from harness.store.canonical import JSON
from harness.store.runfolder import RunFolder

TICK = 1.0  # seconds between two looks at how far the run is


def evaluate(name: str, settings: Settings, show: Show) -> dict[str, JSON]:
    """Run a benchmark inside the namespace and return the object that ``--json`` prints.

    SIGINT once: what runs is finished, graded and summed up, and the object has ``interrupted``. Twice, or before the
    first attempt, or SIGTERM: all is dropped, and KeyboardInterrupt comes. The same command then goes on.
    """

    async def interruptible() -> dict[str, JSON]:
        task = asyncio.current_task()
        assert task is not None

        def stop() -> None:
            show.line("interrupted: stopping now")
            task.cancel()

        interrupts = Interrupts(stop)
        with interrupts.heeded(), state.scratch(os.environ) as scratch:
            record = replayed(settings["policy"], scratch)
            chosen = settings if record is None else record.settings(settings)
            benchmark = tasks.benchmark(name, chosen, scratch, record.run if record else None)
            return await _Evaluation(benchmark, chosen, show, interrupts, scratch, record).run()

    try:
        return asyncio.run(interruptible())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


@attrs.frozen
class _Evaluation:
    benchmark: Benchmark
    settings: Settings
    show: Show
    interrupts: Interrupts
    scratch: Path
    record: RecordedRun | None

    async def run(self) -> dict[str, JSON]:
        settings = self.settings
        only, limit = settings["tasks"], settings["limit"]
        chosen = [item.task for item in plan(self.benchmark.ids, only=only, limit=limit)]
        whole = plan(chosen, repeats=settings["repeats"])
        own = plan(chosen, repeats=settings["repeats"], shard=settings["shard"])
        judged = self.benchmark.mode.name == JUDGED.name
        scripted = None if self.benchmark.scripted is None else Scripted(self.benchmark.scripted)
        async with endpoints(settings, self.record, scripted=scripted, judged=judged) as ends:
            for note in ends.notes:
                self.show.line(note)
            if not own:
                self.show.line("note: this shard holds no rollout of the plan")
            prepared = await prepare(self.benchmark, chosen, own, settings, ends, self.show.line)
            path = prepared.run.layout.root
            self.show.line(f"run folder: {path}")
            try:
                player, results = await self._work(prepared, len(own), ends, scripted)
                summary = await asyncio.to_thread(self._sum_up, prepared, whole, own, results)
            except asyncio.CancelledError:
                self.show.line(f"stopped; to go on, run the same command with --run {path}")
                raise
        if self.interrupts.asked and summary["measured"] != summary["planned"]:
            self.show.line(f"interrupted; to go on, run the same command with --run {path}")
        now: dict[str, JSON] = {"new_attempts": player.made, "interrupted": self.interrupts.asked}
        if self.record is not None:
            now["not_recorded"] = [*player.final]
        return {"run": str(path), **now, **summary}

    async def _work(
        self, prepared: Prepared, planned: int, ends: Endpoints, scripted: Scripted | None
    ) -> tuple[Player, dict[Item, Result]]:
        """Play and grade; who has played, and what could be graded."""
        run, todo = prepared.run, prepared.todo
        tally, queue = Tally(planned), Queue(todo.play)
        for item in todo.given_up:
            tally.settled(item, measured=False)
        try:
            async with _judge(ends, run, needed=todo.asks_judge) as judge, asyncio.TaskGroup() as group:
                # A judge that failed in an earlier call is asked again: it gave no verdict that could be replaced.
                grader = Grader(run.grades, prepared.scorer, judge, ask_again=True, own=self.benchmark.mode.own)
                grading = Grading(run, self.benchmark, grader, group, tally)
                meanwhile = [group.create_task(self._tick(tally, queue))]
                if scripted is not None:
                    meanwhile.append(group.create_task(scripted.failing()))
                for item in todo.grade:
                    grading.add(item)
                player = Player(
                    run=run,
                    benchmark=self.benchmark,
                    means=prepared.means,
                    settings=self.settings,
                    queue=queue,
                    tally=tally,
                    measured=grading.add,
                    say=self.show.line,
                    scorer=prepared.scorer.digest,
                    owner=owners.sign(self.scratch),
                    answering=ends.observed,
                )
                if todo.play:
                    await self._play(player, grading)
                with self.interrupts.finishing(grading.stop):
                    await grading.finished()
                for task in meanwhile:
                    task.cancel()
        except ExceptionGroup as failed:
            # The first one has ended the others; it says what happened.
            raise failed.exceptions[0] from None
        return player, grading.results

    async def _play(self, player: Player, grading: Grading) -> None:
        jobs, memory = self.settings["jobs"], self.settings["memory_mib"]
        jobs = min(jobs, player.queue.left)
        for note in room.notes(room.Machine.here(), jobs=jobs, memory=memory * MIB):
            self.show.line(note)

        def gently() -> None:
            player.queue.close()
            if not player.tally.running:
                grading.stop()
                return
            self.show.line(
                f"interrupted: finishing {several(len(player.tally.running), 'sandbox', 'es')} (at most "
                f"{self.settings['timeout']:g} s each); nothing new is started. Ctrl-C again stops at once."
            )

        with self.interrupts.finishing(gently):
            await player.play()

    async def _tick(self, tally: Tally, queue: Queue) -> None:
        while True:
            self.show.update(tally.snapshot(time.monotonic(), queue.pause()))
            await asyncio.sleep(TICK)

    def _sum_up(
        self, prepared: Prepared, whole: Sequence[Item], own: Sequence[Item], results: dict[Item, Result]
    ) -> dict[str, JSON]:
        """Write summary.json, which covers the whole plan; give the figures of this call's own part of it."""
        run, scorer = prepared.run, prepared.scorer
        if not run.layout.manifest.is_file():
            raise HarnessError(f"{run.layout.root} was removed while the run went on: what is there now is no run.")
        found = {item: results.get(item) or kept(run, self.benchmark, scorer.digest, item) for item in whole}
        content = run.content_digest()
        keep_summary(run, summary_bytes(run, scorer, content, found))
        return summed_up(run, scorer, content, [found[item] for item in own])


@contextlib.asynccontextmanager
async def _judge(ends: Endpoints, run: RunFolder, *, needed: bool) -> AsyncIterator[Replies | None]:
    if not needed:
        yield None
    elif ends.judge is not None:
        async with judging.connect(ends.judge) as judge:
            yield judge
    else:
        yield None if ends.record is None else ends.record.judge(run)
