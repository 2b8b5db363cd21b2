"""Whether a process that began on a run still lives, as far as that can be seen."""

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from harness.run import owners
from harness.sandbox import state
from harness.store.runfolder import RunFolder


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    folder = tmp_path / "states/p1-x"
    folder.mkdir(parents=True)
    return folder


def begin(run: RunFolder, owner: Mapping[str, Any] | None) -> None:
    run.write_observed("node", time.time_ns(), {"kind": "start", **({} if owner is None else {"owner": owner})})


def test_it_lives_as_long_as_its_lock_is_held(scratch: Path) -> None:
    lock = state.claim(scratch)
    assert lock is not None
    assert owners.life(owners.sign(scratch)) == "lives"
    os.close(lock)
    assert owners.life(owners.sign(scratch)) == "gone"


def test_it_is_gone_with_its_folder(scratch: Path) -> None:
    signed = owners.sign(scratch)
    scratch.rmdir()
    assert owners.life(signed) == "gone"


@pytest.mark.parametrize("change", [{"boot": "another"}, {"above": "0:1"}, {"scratch": "/nowhere/p1-x"}])
def test_of_another_boot_and_of_a_folder_that_is_not_this_one_nothing_is_known(
    scratch: Path, change: dict[str, str]
) -> None:
    assert owners.life({**owners.sign(scratch), **change}) == "unknown"


def test_a_folder_that_may_not_be_looked_at_says_nothing(scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(_: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(state, "claim", closed)
    assert owners.life(owners.sign(scratch)) == "unknown"


def test_all_starts_of_a_run_are_looked_at(run: RunFolder, scratch: Path) -> None:
    lock = state.claim(scratch)
    gone = scratch.with_name("p2-y")
    assert lock is not None
    for owner in (owners.sign(scratch), owners.sign(gone), {"host": "other", "boot": "another"}, None):
        begin(run, owner)
    run.write_observed("node", time.time_ns(), {"kind": "something else"})
    found = owners.owners(run)
    os.close(lock)
    assert found.live == (str(scratch),)
    assert found.unknown == ("another node", "other")


def test_a_run_that_nobody_played_has_none(run: RunFolder) -> None:
    assert owners.owners(run) == owners.Owners((), ())
