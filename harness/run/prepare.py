"""What comes before the first attempt: the manifest, the run folder, what is left to do, and whether all answer."""

import asyncio
import datetime
from collections.abc import Callable, Sequence
from pathlib import Path

import attrs

from harness import pins
from harness.benchmarks.base import Benchmark
from harness.gateway import Policy
from harness.grading.prompt import JudgeSettings
from harness.grading.scorer import Scorer
from harness.run import scorers
from harness.run.attempt import Means
from harness.run.endpoints import preflight
from harness.run.endpoints.connect import Endpoints
from harness.run.identity import manifest
from harness.run.plan import Item
from harness.run.play import missing, playable
from harness.run.room import SPACE_PER_JOB
from harness.run.settings.means import agent_settings, gateway_settings, judge_settings
from harness.run.settings.resolve import Settings, chosen
from harness.store.digests import Digest
from harness.store.layout import Layout, default_run
from harness.store.runfolder import RunFolder
from harness.store.space import check_space

Say = Callable[[str], None]


@attrs.frozen
class Todo:
    """What a call has to do: items to play, items that count already and are graded, and whether the judge is asked.

    ``given_up`` are neither: they have had all their attempts.
    """

    play: Sequence[Item]
    grade: Sequence[Item]
    given_up: Sequence[Item]
    asks_judge: bool


@attrs.frozen(kw_only=True)
class Prepared:
    """A run that can begin."""

    run: RunFolder
    means: Means
    scorer: Scorer
    todo: Todo


async def prepare(
    benchmark: Benchmark, tasks: Sequence[str], items: Sequence[Item], settings: Settings, ends: Endpoints, say: Say
) -> Prepared:
    """Make or join the run folder of ``tasks``; endpoints are tried before a new one is made.

    So what an endpoint refuses can be set otherwise and tried again with the same folder. Raises UsageError for a
    folder of another run or a refusal, UpstreamError for an endpoint that isn't there, NoSpaceError.
    """
    gateway = gateway_settings(settings)
    means = Means(
        policy=ends.policy,
        sources=ends.sources(gateway),
        gateway=gateway,
        agent=agent_settings(settings, ends.policy),
        first_call=settings["first_call"],
    )
    judge = judge_settings(settings, ends.judge_model)
    scorer = scorers.scorer_of(benchmark, judge)
    found = manifest(
        benchmark,
        tasks,
        settings["repeats"],
        policy=means.policy,
        agent=means.agent,
        gateway=means.gateway,
        timeout=settings["timeout"],
        closure=pins.closure(),
        demo=settings["demo"],
    )
    today = datetime.datetime.now(tz=datetime.UTC).date()
    path = Path(settings["run"] or default_run(benchmark.name, today, found.identity))
    check_space(path, SPACE_PER_JOB * settings["jobs"])
    todo, run = Todo(items, (), (), asks_judge=True), None
    if Layout(path).manifest.is_file():
        run = RunFolder.create(path, found, benchmark.task_set)
        await asyncio.to_thread(_tell_scorer, run, scorer.digest, say)
        todo = await asyncio.to_thread(left, run, items, settings["max_attempts"], scorer.digest, say)
    if not settings["no_preflight"]:
        await _preflight(todo, means, judge, settings, ends, say)
    if run is None:
        run = RunFolder.create(path, found, benchmark.task_set)
    # Before a score is named after it.
    await asyncio.to_thread(scorers.keep, run, scorer, benchmark.mode.own)
    return Prepared(run=run, means=means, scorer=scorer, todo=todo)


def left(run: RunFolder, items: Sequence[Item], attempts: int, scorer: Digest, say: Say) -> Todo:
    """What is left to do of a run that was begun, with so many attempts for each item."""
    to_play = missing(run, items)
    play = playable(run, to_play, attempts, say)
    grade = [item for item in items if item not in set(to_play)]
    return Todo(
        play=play,
        grade=grade,
        given_up=[item for item in to_play if item not in set(play)],
        asks_judge=bool(play) or any(_to_be_judged(run, scorer, item) for item in grade),
    )


def _tell_scorer(run: RunFolder, now: Digest, say: Say) -> None:
    """Say that a run that goes on is scored otherwise from now on: its mean may move though nothing is played."""
    before = scorers.current(run)
    if before is not None and before != now and (run.layout.scores / before).is_dir():
        say(f"note: this run was scored by scorer {before[:12]}; now {now[:12]} scores it. The old scores stay beside.")


def _to_be_judged(run: RunFolder, scorer: Digest, item: Item) -> bool:
    score = run.grades.score(scorer, item.task, item.repeat)
    return score is None or score.get("mask_sample") is not False


async def _preflight(
    todo: Todo, means: Means, judge: JudgeSettings, settings: Settings, ends: Endpoints, say: Say
) -> None:
    """Try the endpoints that are to be used; the demo's scripted ones need no trying, and a record has none."""
    if todo.play and isinstance(means.policy, Policy) and not _scripted(settings, "policy"):
        await preflight.policy(means.policy, means.gateway, say)
    if todo.asks_judge and ends.judge is not None and not _scripted(settings, "judge"):
        await preflight.judge(ends.judge, judge)


def _scripted(settings: Settings, role: str) -> bool:
    return bool(settings["demo"]) and not chosen(settings, f"{role}_base_url")
