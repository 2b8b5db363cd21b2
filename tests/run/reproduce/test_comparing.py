"""Holding a run that was made again against its record: how much is the same, and the first difference."""

from collections.abc import Callable
from pathlib import Path

import attrs
import pytest

from harness.run import scorers
from harness.run.reproduce.comparing import Count, compare
from harness.store.record import AttemptRecord, Content, Outcome
from harness.store.references import Done
from harness.store.runfolder import RunFolder


def other(run: RunFolder, change: Callable[[Content], Content], done: Done) -> None:
    """Another attempt counts in the place of one."""
    record = run.rollout(done)
    forget(run, done)
    run.publish_done(run.write_attempt(AttemptRecord(change(record.content), record.observed)))


def forget(run: RunFolder, done: Done) -> None:
    """Nothing counts any more."""
    run.layout.done(done.task, done.repeat).unlink()


@pytest.fixture
def done(now: RunFolder) -> Done:
    """One that counts and has calls."""
    return next(done for done in now.dones() if len(now.rollout(done).content.calls) > 1)


def test_the_very_same(there: RunFolder, now: RunFolder) -> None:
    found = compare(there, now, scorers.current(there))
    count = len(list(there.dones()))
    assert found.first is None
    assert found.rollouts == Count(count, count)
    assert found.rollouts.whole
    assert found.scores == found.rollouts


def test_another_answer(there: RunFolder, now: RunFolder, done: Done) -> None:
    other(now, lambda content: attrs.evolve(content, answer="No."), done)
    found = compare(there, now, None)
    count = len(list(there.dones()))
    assert found.rollouts == Count(count - 1, count)
    assert found.first is not None
    assert found.first.startswith(f"task {done.task!r}, repeat {done.repeat}: answer: ")
    assert found.first.endswith('"No." now')


def test_a_call_comes_before_what_follows_from_it(there: RunFolder, now: RunFolder, done: Done) -> None:
    def changed(content: Content) -> Content:
        first, second, *rest = content.calls
        calls = (first, attrs.evolve(second, status=503), *rest)
        return attrs.evolve(content, calls=calls, answer="No.")

    other(now, changed, done)
    assert f"repeat {done.repeat}: call 1, status: 200 in the record, 503 now" in str(compare(there, now, None).first)


def test_calls_that_are_missing(there: RunFolder, now: RunFolder, done: Done) -> None:
    count = len(there.rollout(done).content.calls)
    record = now.rollout(done)
    content = attrs.evolve(record.content, calls=record.content.calls[:1], chain=(0,))
    observed = attrs.evolve(record.observed, calls=record.observed.calls[:1])
    forget(now, done)
    now.publish_done(now.write_attempt(AttemptRecord(content, observed)))
    assert f": {count} calls in the record, 1 now" in str(compare(there, now, None).first)


def test_a_masked_rollout_says_why(there: RunFolder, now: RunFolder, done: Done) -> None:
    record = now.rollout(done)
    forget(now, done)
    outcome = Outcome(kind="not-recorded", masked=True, failure_kind="x", reason=None)
    late = record.observed.started_ns + 10**9
    observed = attrs.evolve(record.observed, started_ns=late, reason="Request 1 is not in the record." + "x" * 10_000)
    now.write_attempt(AttemptRecord(attrs.evolve(record.content, outcome=outcome), observed))
    first = str(compare(there, now, None).first)
    assert f"repeat {done.repeat}: not-recorded: Request 1 is not in the record.xxx" in first
    assert len(first) < 3000


def test_what_was_not_played(there: RunFolder, now: RunFolder, done: Done) -> None:
    forget(now, done)
    for path in now.layout.attempts_at(done.task, done.repeat).iterdir():
        path.unlink()
    assert str(compare(there, now, None).first).endswith(f"repeat {done.repeat}: it was not played")


def score(run: RunFolder) -> Path:
    scorer = scorers.current(run)
    assert scorer is not None
    return next((run.layout.scores / scorer).rglob("*.json"))


def test_one_byte_of_a_score(there: RunFolder, now: RunFolder) -> None:
    path = score(now)
    path.write_bytes(path.read_bytes() + b" ")
    found = compare(there, now, scorers.current(there))
    assert found.scores == Count(found.scores.of - 1, found.scores.of)
    assert found.first == f"{path.relative_to(now.layout.root)} differs"


def test_a_score_that_is_missing_now(there: RunFolder, now: RunFolder) -> None:
    score(now).unlink()
    assert not compare(there, now, scorers.current(there)).scores.whole


def test_another_manifest_is_the_first_difference(there: RunFolder, now: RunFolder, done: Done, tmp_path: Path) -> None:
    elsewhere = RunFolder.create(tmp_path / "else", attrs.evolve(now.manifest, model="another"))
    first = str(compare(there, elsewhere, None).first)
    assert first.startswith("manifest.json, model: ")
    assert '"another" now' in first
