"""Holding every attempt of a run folder against what a proof must say (`harness.sandbox.egress`)."""

from collections.abc import Iterator
from pathlib import Path

import attrs

from harness.errors import StoreCorruptError
from harness.run.egress.sums import Sent, distinct
from harness.sandbox import egress, seccomp
from harness.sandbox.egress import Claim
from harness.store import reading
from harness.store.canonical import JSON
from harness.store.digests import Digest
from harness.store.record import AttemptRecord
from harness.store.runfolder import RunFolder


@attrs.frozen
class Proved:
    """``problems``: each as one text that names the path. ``unproved``: masked attempts that need no proof and have
    none, since there was no sandbox, or it failed."""

    problems: tuple[str, ...]
    attempts: int
    proved: int
    unproved: int
    refused: int
    destinations: int

    def to_json(self) -> dict[str, JSON]:
        """The object in that of ``harness verify --egress --json``."""
        return {name: value for name, value in attrs.asdict(self).items() if name != "problems"}


def check(run: RunFolder) -> Proved:
    """Check every attempt, masked ones too; a record that can't be read is the business of `harness.store.verify`."""
    named, sent = list[str](), list[Sent]()
    attempts = unproved = 0
    filters = _Filters(run)
    for path, record in _records(run):
        attempts += 1
        claim = Claim.of(record)
        found = _wrong(claim, record, filters)
        named += [f"{path}: {problem}." for problem in found]
        if claim.egress is not None:
            sent.append(attrs.evolve(Sent.of(claim), proved=not found))
        elif not found:
            unproved += 1
    return Proved(
        problems=tuple(named),
        attempts=attempts,
        proved=sum(one.proved for one in sent),
        unproved=unproved,
        refused=sum(one.refused for one in sent),
        destinations=distinct(sent),
    )


def problems(run: RunFolder, record: AttemptRecord) -> tuple[str, ...]:
    """What is wrong with the proof of one attempt, each as one text; `egress.problems` and the texts of its filters."""
    return _wrong(Claim.of(record), record, _Filters(run))


def _wrong(claim: Claim, record: AttemptRecord, filters: "_Filters") -> tuple[str, ...]:
    return (*egress.problems(claim), *filters.problems(record))


def _records(run: RunFolder) -> Iterator[tuple[Path, AttemptRecord]]:
    for task, folder in reading.tasks(run.layout.attempts):
        for repeat in sorted(reading.number(folder, name) for name in reading.names(folder)):
            for name in run.attempt_names(task, repeat):
                try:
                    yield run.layout.attempt(task, repeat, name), run.read_attempt(task, repeat, name)
                except StoreCorruptError:
                    continue


@attrs.define
class _Filters:
    """The texts of rules and of system call filters: looked at once each."""

    run: RunFolder
    known: dict[Digest, str | None] = attrs.field(factory=dict)

    def problems(self, record: AttemptRecord) -> Iterator[str]:
        """What is wrong with those that a record names."""
        for name in sorted(record.observed.filters()):
            if name not in self.known:
                self.known[name] = self._problem(name, is_rules=name != record.observed.seccomp_sha256)
            if problem := self.known[name]:
                yield problem

    def _problem(self, name: Digest, *, is_rules: bool) -> str | None:
        try:
            text = self.run.blobs.get(name)
        except StoreCorruptError as error:
            return f"what filtered can't be shown: {error}".removesuffix(".")
        if is_rules or seccomp.strict(text):
            return None  # rules that are not known were named already
        return f"its system call filter {name} is not one that this version of the harness makes"
