"""A whole run: make or resume its folder, play what is missing, grade, sum up."""

import asyncio
import datetime
import signal
from collections.abc import Callable, Sequence
from pathlib import Path

from harness import pins
from harness.benchmarks.babyvision.benchmark import BabyVision
from harness.benchmarks.base import Benchmark
from harness.benchmarks.demo import puzzles
from harness.grading import judge as judging
from harness.grading.grader import Grader
from harness.grading.scorer import scorer_digest
from harness.run.attempt import Means
from harness.run.endpoints import Endpoints, endpoints
from harness.run.grade import grade
from harness.run.identity import manifest
from harness.run.means import agent_settings, gateway_settings, judge_settings
from harness.run.plan import plan
from harness.run.play import play
from harness.run.settings import Settings
from harness.run.summary import figures
from harness.store import atomic, layout
from harness.store.canonical import JSON, dumps
from harness.store.runfolder import RunFolder
from harness.store.space import check_space

# Room for what one rollout in progress may add: its record, images and OpenCode's events.
SPACE_PER_JOB = 512 << 20

Say = Callable[[str], None]


def evaluate(name: str, settings: Settings, folder: Path | None, say: Say) -> dict[str, JSON]:
    """Run a benchmark inside the namespace and return the object that ``--json`` prints.

    SIGTERM ends it as Ctrl-C does: what is under way is dropped, the run can be resumed.
    """

    async def interruptible() -> dict[str, JSON]:
        task = asyncio.current_task()
        assert task is not None
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        return await _evaluate(name, settings, folder, say)

    try:
        return asyncio.run(interruptible())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


async def _evaluate(name: str, settings: Settings, folder: Path | None, say: Say) -> dict[str, JSON]:
    benchmark = BabyVision.of(name, puzzles.rows(settings["demo_seed"]))
    chosen = plan(benchmark.ids, only=settings["tasks"], limit=settings["limit"])
    items = plan([item.task for item in chosen], repeats=settings["repeats"], shard=settings["shard"])
    async with endpoints(settings) as ends:
        run, means = _prepare(benchmark, [item.task for item in chosen], settings, ends, folder)
        say(f"run folder: {run.layout.root}")
        say(ends.limits)
        played = await play(run, benchmark, means, items, settings, say)
        judge = judge_settings(settings, ends.judge_model)
        scorer = scorer_digest(judge)
        async with judging.connect(ends.judge) as asked:
            results = await grade(run, benchmark, Grader(run.grades, scorer, judge, asked), items)
    summary: dict[str, JSON] = {
        "run": str(run.layout.root),
        "benchmark": name,
        "demo": settings["demo"],
        "manifest": run.manifest.identity,
        "content_digest": run.content_digest(),
        "scorer": scorer,
        "new_attempts": played,
        **figures(results),
    }
    stored = {key: value for key, value in summary.items() if key not in {"run", "new_attempts"}}
    atomic.write(run.layout.root / "summary.json", dumps(stored))
    return summary


def _prepare(
    benchmark: Benchmark, tasks: Sequence[str], settings: Settings, ends: Endpoints, folder: Path | None
) -> tuple[RunFolder, Means]:
    """The run folder, new or joined, and what attempts need but for the host."""
    closure = pins.closure()
    agent, gateway = agent_settings(settings, ends.policy), gateway_settings(settings)
    found = manifest(
        benchmark,
        tasks,
        settings["repeats"],
        policy=ends.policy,
        agent=agent,
        gateway=gateway,
        timeout=settings["timeout"],
        closure=closure,
    )
    today = datetime.datetime.now(tz=datetime.UTC).date()
    path = folder or layout.default_run(benchmark.name, today, found.identity)
    check_space(path, SPACE_PER_JOB * settings["jobs"])
    return RunFolder.create(path, found), Means(
        policy=ends.policy, gateway=gateway, agent=agent, first_call=settings["first_call"]
    )
