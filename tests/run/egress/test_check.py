"""Holding a run folder's attempts against what a proof must say."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

from harness.run.egress.check import Proved, check
from harness.sandbox import ruleset
from harness.store.digests import digest, parse_digest
from harness.store.observed import Observed
from harness.store.record import AttemptRecord
from harness.store.runfolder import RunFolder
from tests.synthetic import FILTER, Shape, make

SHAPE = Shape(rollouts=2, tasks=2, calls=1, image_bytes=100)


@pytest.fixture
def made(tmp_path: Path) -> RunFolder:
    return make(tmp_path / "R", SHAPE)


def again(run: RunFolder, change: Callable[[Observed], Observed], *, masked: bool = False) -> Path:
    """Keeps one more attempt, changed; returns its file."""
    done = next(iter(run.dones()))
    record = run.rollout(done)
    content = record.content
    if masked:
        outcome = attrs.evolve(content.outcome, masked=True, kind="sandbox-failed")
        content = attrs.evolve(content, outcome=outcome)
    ref = run.write_attempt(AttemptRecord(content, change(record.observed)))
    return run.layout.attempt(done.task, done.repeat, ref.name)


def egress(observed: Observed, **changed: Any) -> Observed:
    assert observed.egress is not None
    return attrs.evolve(observed, egress=attrs.evolve(observed.egress, **changed))


def test_a_whole_run_is_proved(made: RunFolder) -> None:
    assert check(made) == Proved((), attempts=2, proved=2, unproved=0, refused=0, destinations=0)


def test_an_attempt_that_does_not_count_is_checked_too_and_named_with_its_path(made: RunFolder) -> None:
    path = again(made, lambda observed: egress(observed, denied=3))
    found = check(made)
    assert found.problems == (
        f"{path}: 3 packets were refused, but 0 by protocol.",
        f"{path}: 3 packets were refused, but 0 stand with a destination and 0 without.",
    )
    assert (found.attempts, found.proved) == (3, 2)


def test_a_missing_proof_of_an_attempt_that_could_count_is_named(made: RunFolder) -> None:
    path = again(made, lambda observed: attrs.evolve(observed, egress=None))
    assert check(made).problems == (f"{path}: nothing says what its sandbox sent: the proof is missing.",)


def test_a_sandbox_that_failed_is_counted_apart(made: RunFolder) -> None:
    again(made, lambda observed: attrs.evolve(observed, egress=None), masked=True)
    found = check(made)
    assert (found.problems, found.attempts, found.proved, found.unproved) == ((), 3, 2, 1)


def test_rules_whose_text_was_changed_or_is_gone_can_not_be_shown(made: RunFolder) -> None:
    path = made.blobs.path(parse_digest(ruleset.digest()))
    path.write_bytes(path.read_bytes().replace(b"policy drop", b"policy accept"))
    found = check(made)
    assert (len(found.problems), found.proved) == (2, 0)
    assert all("can't be shown" in problem and str(path) in problem for problem in found.problems)
    path.unlink()
    assert all("is missing" in problem for problem in check(made).problems)


def test_other_rules_are_none_that_this_version_knows_even_if_their_text_is_there(made: RunFolder) -> None:
    lax = made.blobs.put(ruleset.RULES.replace("policy drop", "policy accept").encode())
    path = again(made, lambda observed: egress(observed, ruleset_sha256=lax))
    assert check(made).problems == (f"{path}: its rules {lax} are none that this version of the harness knows.",)


@pytest.mark.parametrize(
    "lax",
    [
        FILTER.replace(b'"SCMP_ACT_ERRNO",\n "syscalls"', b'"SCMP_ACT_ALLOW",\n "syscalls"'),
        FILTER.replace(b'"name', b'"x-name', 1),
        FILTER.replace(b'"clone3"', b'"bpf"'),
        FILTER.replace(b'"syscalls": [', b'"syscalls": [{"names": ["iopl"], "action": "SCMP_ACT_ALLOW"},'),
        FILTER.replace(
            b'"syscalls": [', b'"syscalls": [{"names": ["read"], "name": "bpf", "action": "SCMP_ACT_ALLOW"},'
        ),
        b"{}",
        b"[]",
        b"nothing",
    ],
)
def test_a_lax_system_call_filter_is_named(made: RunFolder, lax: bytes) -> None:
    assert lax != FILTER
    blob = made.blobs.put(lax)
    path = again(made, lambda observed: attrs.evolve(observed, seccomp_sha256=blob))
    (problem,) = check(made).problems
    assert problem == f"{path}: its system call filter {digest(lax)} is not one that this version of the harness makes."
