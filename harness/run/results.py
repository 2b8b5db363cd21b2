"""What became of each planned rollout, read from the run folder: the same whoever played and graded it."""

from harness.benchmarks.base import Benchmark
from harness.grading.score import Score
from harness.run.facts import Facts
from harness.run.plan import Item
from harness.run.summary import Result
from harness.store.digests import Digest
from harness.store.runfolder import RunFolder

UNFINISHED = "unfinished"  # never played to an end
UNGRADED = "not-graded"  # measured, and grading it was interrupted or is another process's


def counted(run: RunFolder, item: Item) -> Facts | None:
    """The facts of the attempt that counts, if there is one."""
    done = run.done(item.task, item.repeat)
    return None if done is None else Facts.of(run.rollout(done))


def graded(run: RunFolder, benchmark: Benchmark, item: Item, facts: Facts, score: Score) -> Result:
    """The result of a rollout that counts and has a score."""
    outcome = score.failure_kind if score.mask_sample and score.failure_kind else facts.kind
    return _result(run, benchmark, item, facts, outcome, score.reward)


def kept(run: RunFolder, benchmark: Benchmark, scorer: Digest, item: Item) -> Result:
    """The result of a rollout by the files alone; nothing is played or asked."""
    facts = counted(run, item)
    if facts is None:
        return _missing(run, benchmark, item)
    score = run.grades.score(scorer, item.task, item.repeat)
    if score is None:
        return _result(run, benchmark, item, facts, UNGRADED, None)
    return graded(run, benchmark, item, facts, Score.from_json(score))


def _missing(run: RunFolder, benchmark: Benchmark, item: Item) -> Result:
    """Of a rollout without an attempt that counts: its last attempt says why."""
    names = run.attempt_names(item.task, item.repeat)
    attempts = [Facts.of(run.read_attempt(item.task, item.repeat, name)) for name in names]
    if not attempts:
        return Result(
            task=item.task, repeat=item.repeat, outcome=UNFINISHED, reward=None, groups=benchmark.groups(item.task)
        )
    last = max(attempts, key=lambda facts: facts.started_ns)
    return _result(run, benchmark, item, last, last.kind, None)


def _result(
    run: RunFolder, benchmark: Benchmark, item: Item, facts: Facts, outcome: str, reward: float | None
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
