"""What became of each planned rollout, read from the run folder: the same whoever played and graded it."""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from harness.benchmarks.base import Graded
from harness.errors import StoreCorruptError
from harness.grading.score import Score
from harness.grading.scorer import Scorer
from harness.run.facts import Facts
from harness.run.plan import Item, plan
from harness.run.summary import Result, figures
from harness.store import atomic, reading
from harness.store.canonical import JSON
from harness.store.digests import Digest
from harness.store.outdating import outdate
from harness.store.references import Done
from harness.store.runfolder import RunFolder
from harness.store.sealed import seal

UNFINISHED = "unfinished"  # never played to an end
UNGRADED = "not-graded"  # measured, and grading it was interrupted or is another process's


def planned(run: RunFolder, benchmark: Graded) -> tuple[Item, ...]:
    """Every rollout of the manifest's plan, in its order; raises StoreCorruptError for a plan that is none.

    ``benchmark`` is the run's: a plan has its tasks only.
    """
    tasks, repeats = _plan(run)
    known = set(benchmark.ids)
    unknown = next((task for task in tasks if task not in known), None)
    if unknown is not None:
        raise StoreCorruptError(f"{run.layout.manifest} plans the task {unknown!r}, which the task set doesn't hold.")
    return plan(tasks, repeats=repeats)


def _plan(run: RunFolder) -> tuple[tuple[str, ...], int]:
    with reading.corrupt(run.layout.manifest):
        return run.manifest.planned


def counted(run: RunFolder, item: Item) -> Facts | None:
    """The facts of the attempt that counts, if there is one."""
    done = run.done(item.task, item.repeat)
    return None if done is None else published(run, done)


def published(run: RunFolder, done: Done) -> Facts:
    """The facts of an attempt that counts."""
    data = run.published(done)
    with reading.corrupt(run.layout.attempt(done.task, done.repeat, done.attempt)):
        return Facts.read(data)


def graded(run: RunFolder, benchmark: Graded, item: Item, facts: Facts, score: Score) -> Result:
    """The result of a rollout that counts and has a score."""
    outcome = score.failure_kind if score.mask_sample and score.failure_kind else facts.kind
    found = _result(run, benchmark, item, facts, outcome, score.reward)
    return attrs.evolve(found, extracted_answer=score.extracted_answer, sent=facts.sent)


def kept(run: RunFolder, benchmark: Graded, scorer: Digest, item: Item) -> Result:
    """The result of a rollout by the files alone; nothing is played or asked."""
    facts = counted(run, item)
    if facts is None:
        return missing(run, benchmark, item)
    score = run.grades.score(scorer, item.task, item.repeat)
    if score is None:
        return attrs.evolve(_result(run, benchmark, item, facts, UNGRADED, None), sent=facts.sent)
    with reading.corrupt(run.layout.score(scorer, item.task, item.repeat)):
        return graded(run, benchmark, item, facts, Score.from_json(score))


def missing(run: RunFolder, benchmark: Graded, item: Item) -> Result:
    """Of a rollout without an attempt that counts: its last attempt says why."""
    names = run.attempt_names(item.task, item.repeat)
    attempts = [Facts.of(run.read_attempt(item.task, item.repeat, name)) for name in names]
    if not attempts:
        return Result(
            task=item.task, repeat=item.repeat, outcome=UNFINISHED, reward=None, groups=benchmark.groups(item.task)
        )
    last = max(attempts, key=lambda facts: facts.started_ns)
    return _result(run, benchmark, item, last, last.kind, None)


def summed_up(run: RunFolder, scorer: Scorer, content: Digest, results: Sequence[Result]) -> dict[str, JSON]:
    """The figures of some results and what they are of; ``content`` is the run's content digest."""
    plan_of_run: Mapping[str, Any] = run.manifest.plan
    return {
        "benchmark": run.manifest.benchmark,
        "demo": bool(plan_of_run.get("demo")),
        "manifest": run.identity,
        "content_digest": content,
        "scorer": scorer.digest,
        "policy_model": run.manifest.model,
        "judge_model": scorer.judge.model,
        **figures(results),
    }


def summary_bytes(run: RunFolder, scorer: Scorer, content: Digest, results: Mapping[Item, Result]) -> bytes:
    """summary.json: the figures of the whole plan, of which each rollout has a result."""
    tasks, repeats = _plan(run)
    return seal(summed_up(run, scorer, content, [results[item] for item in plan(tasks, repeats=repeats)]))


def keep_summary(run: RunFolder, data: bytes) -> None:
    """Keep summary.json; raises as the store does."""
    path = run.layout.root / "summary.json"
    if reading.read_if_there(path) != data:
        outdate(run.layout)
        atomic.write(path, data)


def _result(
    run: RunFolder,
    benchmark: Graded,
    item: Item,
    facts: Facts,
    outcome: str,
    reward: float | None,
) -> Result:
    return Result(
        task=item.task,
        repeat=item.repeat,
        outcome=outcome,
        reward=reward,
        attempts=len(run.attempt_names(item.task, item.repeat)),
        flags=facts.flags,
        played_ns=facts.played_ns,
        waited_ns=facts.waited_ns,
        groups=benchmark.groups(item.task),
    )
