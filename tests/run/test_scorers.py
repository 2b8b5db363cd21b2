"""Which scorer a run is graded by."""

from typing import Any

import pytest

from harness.errors import StoreCorruptError, UsageError
from harness.grading.mode import JUDGED
from harness.grading.prompt import JudgeSettings
from harness.grading.scorer import Scorer, scorer
from harness.run import scorers
from harness.store import atomic
from harness.store.digests import Digest
from harness.store.runfolder import RunFolder
from harness.store.sealed import seal

ONE, TWO = (scorer(JudgeSettings(model=name), JUDGED) for name in ("one", "two"))


def start(run: RunFolder, name: Digest, started_ns: int, **more: Any) -> None:
    """As a start of the run leaves one."""
    run.write_observed("node", started_ns, {"kind": "start", "scorer": name, "started_ns": str(started_ns), **more})


def scored(run: RunFolder, now: Scorer) -> None:
    run.blobs.put(now.description)
    run.grades.write_score(now.digest, "a", 0, {"reward": 1})


def test_a_run_that_nobody_graded_has_none(run: RunFolder) -> None:
    assert scorers.current(run) is None


def test_it_is_the_latest_that_was_kept(run: RunFolder) -> None:
    scorers.keep(run, ONE)
    scorers.keep(run, TWO)
    assert scorers.current(run) == TWO.digest
    assert scorers.read(run, TWO.digest) == TWO
    scorers.keep(run, ONE)
    assert scorers.current(run) == ONE.digest


def test_the_one_that_holds_is_not_said_again(run: RunFolder) -> None:
    for _ in range(2):
        scorers.keep(run, ONE)
    assert len(list(run.layout.observed.iterdir())) == 1


def test_a_start_says_it_too_and_by_number_not_by_name(run: RunFolder) -> None:
    for now in (ONE, TWO):
        run.blobs.put(now.description)
    start(run, ONE.digest, 900)
    start(run, TWO.digest, 1000)
    run.write_observed("node", 2000, {"kind": "something", "started_ns": "2000"})
    assert scorers.current(run) == TWO.digest


def test_else_it_is_the_summarys_and_else_the_only_one_that_scored(run: RunFolder) -> None:
    scored(run, ONE)
    assert scorers.current(run) == ONE.digest
    scored(run, TWO)
    assert scorers.current(run) is None
    atomic.write(run.layout.root / "summary.json", seal({"scorer": TWO.digest}))
    assert scorers.current(run) == TWO.digest


def test_one_is_chosen_by_the_beginning_of_its_name(run: RunFolder) -> None:
    scorers.keep(run, ONE)
    scored(run, TWO)
    assert scorers.chosen(run, TWO.digest[:10]) == TWO.digest
    with pytest.raises(UsageError, match=f"It has: .*{ONE.digest[:12]}"):
        scorers.chosen(run, "zz")


def test_a_description_that_is_none_is_damage(run: RunFolder) -> None:
    name = run.blobs.put(b"{}")
    with pytest.raises(StoreCorruptError, match=name):
        scorers.read(run, name)


@pytest.mark.parametrize("started", ["9" * 5000, "\u0663", "", 5, None])
def test_a_time_that_is_none_is_damage(run: RunFolder, started: Any) -> None:
    run.write_observed("node", 1, {"kind": "start", "scorer": ONE.digest, "started_ns": started})
    with pytest.raises(StoreCorruptError, match=r"observed/node.*started_ns"):
        scorers.current(run)
