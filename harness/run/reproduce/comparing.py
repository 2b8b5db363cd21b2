"""What is the same in a recorded run and in the one that was made again from it, and what differs first."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import attrs

from harness.store import reading
from harness.store.digests import Digest
from harness.store.layout import Layout
from harness.store.manifest import differences, unequal
from harness.store.record import Content
from harness.store.references import Done
from harness.store.runfolder import RunFolder

# Characters of what an attempt's reason says.
_QUOTED: Final = 2000

_SIDES: Final = ("in the record", "now")


@attrs.frozen
class Count:
    """So many of so many."""

    identical: int
    of: int

    @property
    def whole(self) -> bool:
        """Whether all are."""
        return self.identical == self.of


@attrs.frozen(kw_only=True)
class Compared:
    """``rollouts``: by their content digests; ``scores``: files of the run's scorer, byte for byte.

    ``first``: the first difference as a text, None where there is none.
    """

    rollouts: Count
    scores: Count
    first: str | None


def compare(there: RunFolder, now: RunFolder, scorer: Digest | None) -> Compared:
    """Hold a run that was made again against its record; both are in folders. Raises StoreCorruptError."""
    dones = list(there.dones())
    scores = [] if scorer is None else list(_scores(there.layout, scorer))
    others = [done for done in dones if not _same(now, done)]
    changed = [path for path in scores if _bytes(there, path) != _bytes(now, path)]
    found = (f"manifest.json, {line}" for line in differences(there.manifest, now.manifest)[:1])
    return Compared(
        rollouts=Count(len(dones) - len(others), len(dones)),
        scores=Count(len(scores) - len(changed), len(scores)),
        first=next(
            iter(
                (*found, *(_rollout(there, now, done) for done in others[:1]), *(f"{path} differs" for path in changed))
            ),
            None,
        ),
    )


def _same(now: RunFolder, done: Done) -> bool:
    other = now.done(done.task, done.repeat)
    return other is not None and other.content == done.content


def _scores(layout: Layout, scorer: Digest) -> Iterator[Path]:
    """The score files of a scorer, relative to the run folder."""
    for _, folder in reading.tasks(layout.scores / scorer):
        for name in reading.names(folder):
            yield (folder / name).relative_to(layout.root)


def _bytes(run: RunFolder, path: Path) -> bytes | None:
    return reading.read_if_there(run.layout.root / path)


def _rollout(there: RunFolder, now: RunFolder, done: Done) -> str:
    """Where a rollout departs from its record."""
    name = f"task {done.task!r}, repeat {done.repeat}"
    other = now.done(done.task, done.repeat)
    if other is None:
        return f"{name}: {_masked(now, done)}"
    lines = _contents(there.rollout(done).content, now.rollout(other).content)
    return f"{name}: {next(lines, 'its content digest differs')}"


def _masked(now: RunFolder, done: Done) -> str:
    names = now.attempt_names(done.task, done.repeat)
    if not names:
        return "it was not played"
    attempts = [now.read_attempt(done.task, done.repeat, name) for name in names]
    last = max(attempts, key=lambda attempt: attempt.observed.started_ns)
    reason = last.observed.reason or last.content.outcome.reason or "no reason is kept"
    return f"{last.content.outcome.kind}: {reason[:_QUOTED]}"


def _contents(there: Content, now: Content) -> Iterator[str]:
    """What two talks don't have in common, call by call first: what follows from a call differs as well."""
    calls = zip(there.calls, now.calls, strict=False)
    for index, (one, other) in enumerate(calls):
        for line in unequal(attrs.asdict(one), attrs.asdict(other), *_SIDES):
            yield f"call {index}, {line}"
    if len(there.calls) != len(now.calls):
        yield f"{len(there.calls)} calls in the record, {len(now.calls)} now"
    yield from unequal(there.to_json(), now.to_json(), *_SIDES)
