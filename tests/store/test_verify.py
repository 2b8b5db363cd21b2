"""Verifying a run folder: every kind of damage is found, and named."""

from collections.abc import Callable

import pytest

from harness.store.digests import Digest, digest
from harness.store.record import AttemptRecord
from harness.store.references import AttemptRef
from harness.store.runfolder import RunFolder
from harness.store.segments import Stored
from harness.store.verify import verify

Make = Callable[..., AttemptRecord]
Written = tuple[AttemptRecord, AttemptRef]


@pytest.fixture
def written(run: RunFolder, make_record: Make) -> Written:
    """A run with one rollout, one masked attempt, a judge's call, a score and an observation."""
    record = make_record(run.blobs)
    ref = run.write_attempt(record)
    run.publish_done(ref)
    run.write_attempt(make_record(run.blobs, task="2", masked=True))
    run.grades.write_judge({"model": "judge"}, {"body": "{}"})
    run.grades.write_score(digest(b"scorer"), "1", 0, {"reward": 1})
    run.write_observed("node", 1, {"load": 1})
    assert verify(run) == []
    return record, ref


def stored_blob(record: AttemptRecord) -> Digest:
    return next(segment.blob for segment in record.content.calls[0].request if isinstance(segment, Stored))


def one_problem(run: RunFolder, *parts: str) -> None:
    problems = verify(run)
    assert len(problems) == 1
    for part in parts:
        assert part in problems[0]


def test_what_a_killed_writer_left_is_no_problem(run: RunFolder, written: Written) -> None:
    run.blobs.put(b"named by no record")
    for folder in (run.blobs.folder, run.layout.attempts / "1" / "0", run.layout.dones / "1", run.layout.root):
        (folder / ".0123456789abcdef").write_bytes(b"half")
    assert verify(run) == []


def test_a_changed_blob_is_found(run: RunFolder, written: Written) -> None:
    path = run.blobs.path(written[0].observed.artifacts["events"])
    path.write_bytes(b"changed")
    one_problem(run, str(path), "was changed")


def test_a_missing_blob_is_found_with_the_records_that_name_it(run: RunFolder, written: Written) -> None:
    path = run.blobs.path(stored_blob(written[0]))
    path.unlink()
    problems = verify(run)
    # Both attempts share it; the rollout itself is still the one that was published.
    assert len(problems) == 2
    assert all(str(path) in problem and "missing" in problem for problem in problems)


def test_a_torn_record_is_found(run: RunFolder, written: Written) -> None:
    ref = written[1]
    path = run.layout.attempt("1", 0, ref.name)
    path.write_bytes(path.read_bytes()[:100])
    problems = verify(run)
    assert len(problems) == 2, "once as an attempt, once as what counts"
    assert all(str(path) in problem for problem in problems)


def test_a_missing_attempt_that_counts_is_found(run: RunFolder, written: Written) -> None:
    path = run.layout.attempt("1", 0, written[1].name)
    path.unlink()
    one_problem(run, str(path), "is missing")


def test_another_record_in_place_of_what_counts_is_found(run: RunFolder, written: Written, make_record: Make) -> None:
    run.layout.attempt("1", 0, written[1].name).write_bytes(make_record(run.blobs, run_id="b").to_bytes())
    one_problem(run, "is not the attempt that was published")


def test_bytes_that_can_not_be_rebuilt_are_found(run: RunFolder, written: Written) -> None:
    path = run.layout.attempt("2", 0, run.attempts("2", 0)[0].name)
    path.write_bytes(path.read_bytes().replace(b'"a-call-0"', b'"b-call-0"'))
    one_problem(run, str(path), "is not what it was")


@pytest.mark.parametrize("place", ["attempts/stray.json", "done/x/y/z", "done/1/01", "attempts/a b/0/n.json"])
def test_a_file_that_does_not_belong_is_found(run: RunFolder, written: Written, place: str) -> None:
    path = run.layout.root / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"{}")
    one_problem(run, "doesn't belong")


@pytest.mark.parametrize("folder", ["judge", "scores", "observed"])
def test_a_torn_file_of_the_other_folders_is_found(run: RunFolder, written: Written, folder: str) -> None:
    path = next((run.layout.root / folder).rglob("*.json"))
    path.write_bytes(path.read_bytes()[:-1])
    one_problem(run, str(path), "is damaged")
