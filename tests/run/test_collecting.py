"""Taking away what killed processes left: never while somebody works on the run, or may do so."""

import os
import re
import time
from pathlib import Path

import pytest

from harness.errors import HarnessError, StoreCorruptError
from harness.run import collecting, owners
from harness.sandbox import state
from harness.store.runfolder import RunFolder
from tests.report.runs import Made, made
from tests.store.aging import TEMPORARY_NAME, age, floor


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    folder = tmp_path / f"hermetic-{os.getuid()}" / "p1-x"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def left(run: RunFolder) -> RunFolder:
    """A run with one file that can go."""
    (run.layout.root / TEMPORARY_NAME).write_bytes(b"x")
    age(run.layout.root)
    return run


def begin(run: RunFolder, **owner: str) -> None:
    run.write_observed("node", time.time_ns(), {"kind": "start", "owner": dict(owner)})


def test_a_run_of_a_living_process_is_refused(left: RunFolder, scratch: Path) -> None:
    lock = state.claim(scratch)
    assert lock is not None
    left.write_observed("node", 1, {"kind": "start", "owner": owners.sign(scratch)})
    age(left.layout.root)
    with pytest.raises(HarnessError, match=rf"A process works on .*{left.layout.root}.*{scratch}"):
        collecting.of_run(left, floor())
    os.close(lock)
    found = collecting.of_run(left, floor())
    assert [one.path.name for one in collecting.remove_of_run(left, found, floor())] == [TEMPORARY_NAME]
    assert found.notes == ()


def test_a_run_of_another_node_is_refused_until_its_last_file_is_old(left: RunFolder) -> None:
    begin(left, host="other-node", boot="another")
    with pytest.raises(HarnessError, match=r"A process of other-node may work on .* 0 minutes old.*--older-than"):
        collecting.of_run(left, floor())
    age(left.layout.root)
    found = collecting.of_run(left, floor())
    assert [one.path.name for one in found.leftovers] == [TEMPORARY_NAME]
    assert "other-node" in found.notes[0]


def test_the_scores_of_the_scorer_that_grades_the_run_stay(left: RunFolder) -> None:
    older, now = (left.blobs.put(text) for text in (b"older", b"now"))
    for started, scorer in enumerate((older, now)):
        left.write_observed("node", started, {"kind": "scoring", "scorer": scorer, "started_ns": str(started)})
        left.grades.write_score(scorer, "1", 0, {"reward": 1})
    age(left.layout.root)
    found = collecting.of_run(left, floor(), old_scores=True)
    assert [one.path.name for one in found.leftovers] == [TEMPORARY_NAME, older]


def test_a_run_that_cannot_be_read_is_said_to_be_so(left: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(*_: object) -> None:
        raise PermissionError(13, "Permission denied", "x")

    monkeypatch.setattr("harness.store.leftovers.mentioned", lambda *_, **__: closed())
    with pytest.raises(StoreCorruptError, match=f"{left.layout.root} can't be read: Permission denied"):
        collecting.of_run(left, floor())


@pytest.fixture
def graded(tmp_path: Path) -> Made:
    found = made(tmp_path / "graded")
    found.answered("1", "7", 1.0)
    found.run.grades.write_judge({"messages": []}, {"body": "x"})
    found.run.write_observed("node", 1, {"kind": "x"})
    return found


@pytest.mark.parametrize("kind", ["attempts", "done", "scores", "judge", "observed"])
def test_a_run_with_a_damaged_record_is_refused(graded: Made, kind: str) -> None:
    path = next(path for path in sorted((graded.run.layout.root / kind).rglob("*")) if path.is_file())
    whole = path.read_bytes()
    assert collecting.of_run(graded.run, floor()).leftovers == ()
    for damaged in (whole[:-1], b""):
        path.write_bytes(damaged)
        with pytest.raises(StoreCorruptError, match=re.escape(path.name)):
            collecting.of_run(graded.run, floor())


def test_a_run_that_lacks_an_attempt_that_counts_is_refused(graded: Made) -> None:
    path = next(graded.run.layout.attempts.rglob("*.json"))
    path.unlink()
    with pytest.raises(StoreCorruptError, match=f"{path} is missing"):
        collecting.of_run(graded.run, floor())


def test_what_only_has_the_name_of_an_unfinished_archive_is_noted(left: RunFolder, tmp_path: Path) -> None:
    link = left.layout.root.parent / f".x.archive-{'0' * 16}"
    link.symlink_to(tmp_path)
    found = collecting.of_run(left, floor())
    assert len(collecting.remove_of_run(left, found, floor())) == 1
    assert found.notes == (
        f"{link} is named as an unfinished archive or import, but is neither file nor folder: it stays",
    )
    assert link.is_symlink()


def test_states_of_the_dead_are_found_and_those_of_the_living_stay(scratch: Path, tmp_path: Path) -> None:
    living = scratch.with_name("p2-y")
    living.mkdir()
    (scratch / "file").write_bytes(b"12345")
    lock = state.claim(living)
    assert lock is not None
    env = {"HARNESS_STATE_DIR": str(tmp_path)}
    found = collecting.of_account(env, tmp_path, floor())
    assert [(one.path, one.kind, one.size) for one in found.leftovers] == [(scratch, collecting.STATE, 5)]
    os.close(lock)
    assert len(collecting.of_account(env, tmp_path, floor()).leftovers) == 2


def test_where_nothing_is_nothing_is_found(tmp_path: Path) -> None:
    assert collecting.of_account({"HARNESS_STATE_DIR": str(tmp_path)}, tmp_path, floor()).leftovers == ()
    assert list(tmp_path.iterdir()) == []
