"""Verifying a run folder: every kind of damage is found, and named."""

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

from harness.errors import StoreCorruptError
from harness.store import atomic
from harness.store.digests import Digest, digest
from harness.store.grades import request_digest
from harness.store.record import AttemptRecord
from harness.store.references import AttemptRef
from harness.store.runfolder import RunFolder
from harness.store.score import JudgeRef, Score
from harness.store.sealed import seal
from harness.store.verify import attempts, check, files, verify
from harness.store.verify.findings import Findings
from tests.store.forging import forged
from tests.store.whole import CALL

Make = Callable[..., AttemptRecord]
Written = tuple[AttemptRecord, AttemptRef]


@pytest.fixture
def written(run: RunFolder, make_record: Make) -> Written:
    """A run with one rollout, one masked attempt, a judge's call, a score and an observation."""
    record = make_record(run.blobs)
    ref = run.write_attempt(record)
    run.publish_done(ref)
    run.write_attempt(make_record(run.blobs, task="2", masked=True))
    request = {"model": "judge"}
    number = run.grades.write_judge(request, CALL)
    judge = JudgeRef(model="judge", request=request_digest(request), number=number)
    run.grades.write_score(run.blobs.put(b"scorer"), "1", 0, Score(reward=1.0, judge=judge).to_json())
    run.write_observed("node", 1, {"load": 1, "manifest": run.identity})
    atomic.write(run.layout.root / "summary.json", seal({"scorer": digest(b"scorer")}))
    assert verify(run) == []
    return record, ref


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
    assert check(run).unnamed == (digest(b"named by no record"),)


def test_what_is_there_is_counted(run: RunFolder, written: Written, make_record: Make) -> None:
    run.write_attempt(make_record(run.blobs, task="3"))
    found = check(run)
    assert (found.rollouts, found.attempts, found.unpublished, found.unnamed) == (1, 3, 1, ())


def test_what_is_written_meanwhile_is_no_problem(
    run: RunFolder, written: Written, make_record: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One folder is read after the other; a whole rollout, its score and another masked attempt come in between."""

    check_files, check_attempts = files.check, attempts.check

    def overtaken(run: RunFolder, found: Findings) -> None:
        check_files(run, found)
        run.write_attempt(make_record(run.blobs, task="4", masked=True, run_id="late"))

    def overtaken_again(run: RunFolder, found: Findings) -> None:
        check_attempts(run, found)
        run.publish_done(run.write_attempt(make_record(run.blobs, task="3", run_id="later")))
        run.grades.write_judge({"model": "another judge"}, CALL)
        run.grades.write_score(run.blobs.put(b"another scorer"), "3", 0, Score(reward=1.0).to_json())

    monkeypatch.setattr(files, "check", overtaken)
    monkeypatch.setattr(attempts, "check", overtaken_again)
    assert check(run).problems == ()


def test_a_changed_blob_is_found(run: RunFolder, written: Written) -> None:
    pack = written[0].observed.pack
    assert pack is not None
    path = run.blobs.path(pack.blob)
    path.write_bytes(b"changed")
    one_problem(run, str(path), "was changed")


def test_a_missing_blob_is_found_once_with_a_record_that_names_it(run: RunFolder, written: Written) -> None:
    path = run.blobs.path(written[0].content.images[0].blob)  # both attempts share it
    path.unlink()
    one_problem(run, str(path), "is missing", str(run.layout.attempts))


def test_a_torn_record_is_found(run: RunFolder, written: Written) -> None:
    path = run.layout.attempt("1", 0, written[1].name)
    path.write_bytes(path.read_bytes()[:100])
    one_problem(run, str(path), "is damaged")


def test_a_missing_attempt_that_counts_is_found(run: RunFolder, written: Written) -> None:
    path = run.layout.attempt("1", 0, written[1].name)
    path.unlink()
    one_problem(run, str(path), "is missing")


def test_another_record_in_place_of_what_counts_is_found(run: RunFolder, written: Written, make_record: Make) -> None:
    run.layout.attempt("1", 0, written[1].name).write_bytes(make_record(run.blobs, run_id="b").to_bytes())
    one_problem(run, "is named after other bytes")


def test_bytes_that_can_not_be_rebuilt_are_found(run: RunFolder, written: Written, make_record: Make) -> None:
    """A record that is whole in itself, and whose values don't give the bodies that it says."""
    ref = run.write_attempt(forged(make_record(run.blobs, task="4"), run.blobs))
    one_problem(run, str(run.layout.attempt("4", 0, ref.name)), "are not what they were")


def test_a_pack_of_other_bodies_is_found(run: RunFolder, written: Written, make_record: Make) -> None:
    record, other = make_record(run.blobs, task="4", steps=1), make_record(run.blobs, task="5", steps=2)
    ref = run.write_attempt(attrs.evolve(record, observed=attrs.evolve(record.observed, pack=other.observed.pack)))
    one_problem(run, str(run.layout.attempt("4", 0, ref.name)), "holds other calls")


@pytest.mark.parametrize(
    "place",
    [
        "attempts/stray.json",
        "attempts/1/0/n.txt",
        "attempts/a b/0/n.json",
        "blobs/sha256/stray",
        "blobs/md5/0",
        "done/x/y/z",
        "done/1/01",
        "judge/0.json",
        "observed/more/0.json",
        "observed/0.txt",
        "scores/0.json",
        "notes.txt",
    ],
)
def test_a_file_that_does_not_belong_is_found(run: RunFolder, written: Written, place: str) -> None:
    path = run.layout.root / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"{}")
    one_problem(run, "doesn't belong")


@pytest.mark.parametrize("kind", ["symlink", "fifo"])
def test_what_is_no_plain_file_is_found(run: RunFolder, written: Written, kind: str) -> None:
    path = run.layout.observed / "other.json"
    if kind == "symlink":
        path.symlink_to(run.layout.manifest)
    else:
        os.mkfifo(path)
    one_problem(run, str(path), "is no plain file")


@pytest.mark.parametrize("place", ["1/9.json", "9/0.json"])
def test_a_score_without_a_rollout_is_found(run: RunFolder, written: Written, place: str) -> None:
    path = run.layout.scores / digest(b"scorer") / place
    atomic.write(path, seal(Score(reward=1.0).to_json()))
    one_problem(run, str(path), "a rollout that isn't there")


def test_a_missing_reply_is_found_with_the_score_that_rests_on_it(run: RunFolder, written: Written) -> None:
    path = next(run.layout.judge.rglob("*.json"))
    path.unlink()
    one_problem(run, str(path), "is missing", str(run.layout.score(digest(b"scorer"), "1", 0)))


def test_a_missing_scorer_and_task_set_are_found(run: RunFolder, written: Written) -> None:
    for name in (digest(b"scorer"), run.manifest.tasks):
        run.blobs.path(name).unlink()
    assert [("is missing" in problem) for problem in verify(run)] == [True, True]


FILES = ("manifest.json", "summary.json", "attempts", "blobs", "done", "judge", "observed", "scores")


@pytest.mark.parametrize("kind", FILES)
def test_a_flipped_bit_in_any_file_is_found_and_named(run: RunFolder, written: Written, kind: str) -> None:
    start = run.layout.root / kind
    chance = random.Random(kind)
    for path in [start] if start.is_file() else sorted(path for path in start.rglob("*") if path.is_file()):
        whole = path.read_bytes()
        for _ in range(12):
            changed = bytearray(whole)
            changed[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
            path.write_bytes(changed)
            try:
                problems = verify(RunFolder.open(run.layout.root))
            except StoreCorruptError as error:  # the manifest is read first of all
                problems = [str(error)]
            assert any(str(path) in problem for problem in problems), path
        path.write_bytes(whole)
    assert verify(run) == []


@pytest.mark.parametrize("kind", FILES)
def test_a_cut_file_is_found_and_named(run: RunFolder, written: Written, kind: str) -> None:
    start = run.layout.root / kind
    path = start if start.is_file() else next(path for path in start.rglob("*") if path.is_file())
    path.write_bytes(path.read_bytes()[:-1])
    try:
        problems = verify(RunFolder.open(run.layout.root))
    except StoreCorruptError as error:
        problems = [str(error)]
    assert [str(path) in problem for problem in problems] == [True]


def test_a_blob_that_nothing_names_and_a_collector_takes_meanwhile_is_no_problem(
    run: RunFolder, written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    unnamed = [run.blobs.path(run.blobs.put(data)) for data in (b"gone before its turn", b"gone when it is read")]
    entries, digests = files.reading.entries, files.file_digest

    def listed(folder: Path) -> list[Path]:
        found = entries(folder)
        if unnamed[0] in found:
            unnamed[0].unlink()
        return found

    def read(path: Path, *given: Any) -> Digest:
        if path == unnamed[1]:
            path.unlink()
        return digests(path, *given)

    monkeypatch.setattr(files.reading, "entries", listed)
    monkeypatch.setattr(files, "file_digest", read)
    assert verify(run) == []
    assert not any(path.exists() for path in unnamed)


def test_calls_without_a_pack_are_found(run: RunFolder, written: Written) -> None:
    record, _ = written
    forged = attrs.evolve(record, observed=attrs.evolve(record.observed, artifacts={}, pack=None))
    run.write_attempt(forged)
    one_problem(run, "attempts/1/0/", "its pack holds other calls or artifacts than it")


@pytest.mark.parametrize(("task", "repeat"), [("of another run", 0), ("1", 9)])
def test_a_rollout_that_is_not_planned_is_found(
    run: RunFolder, written: Written, make_record: Make, task: str, repeat: int
) -> None:
    assert run.publish_done(run.write_attempt(make_record(run.blobs, task=task, repeat=repeat)))
    one_problem(run, str(run.layout.done(task, repeat)), "doesn't plan that rollout")
