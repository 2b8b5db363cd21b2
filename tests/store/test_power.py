"""A power cut at any moment: what was promised is there, nothing names what is not, and the run goes on."""

import itertools
import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness.store import together
from harness.store.manifest import Manifest
from harness.store.record import AttemptRecord
from harness.store.runfolder import RunFolder
from harness.store.verify import verify
from tests.store.disk import Disk, Killed, put, survivors
from tests.store.whole import play

Make = Callable[..., AttemptRecord]

CHANCE = random.Random(4)
#: Of what was not flushed nothing is there, or all, or any part.
CHANCES = {"nothing": lambda: False, "all": lambda: True, "a part": lambda: CHANCE.random() < 0.5}


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setattr(together, "flush", lambda _: None)


def begun(disk: Disk, manifest: Manifest, make_record: Make) -> RunFolder:
    with disk.followed():
        return play(disk.root / "run", manifest, make_record, promise=disk.promise)


@pytest.fixture
def disk(tmp_path: Path, manifest: Manifest, make_record: Make) -> Disk:
    """A disk on which a whole run took place."""
    disk = Disk(tmp_path / "disk")
    disk.root.mkdir()
    begun(disk, manifest, make_record)
    return disk


def check(disk: Disk, count: int, folder: Path) -> None:
    """Hold what is there after a power cut against what was promised before it."""
    for when, path in disk.promises:
        assert when > count or (folder / path).exists(), f"{path} was promised, and is gone"
    run = folder / "run"
    if (run / "manifest.json").exists():
        assert verify(RunFolder.open(run)) == []
    elif run.exists():
        assert {path.parts[len(run.parts)] for path in finished(run)} <= {"blobs"}


def finished(run: Path) -> Iterator[Path]:
    return (path for path in run.rglob("*") if path.is_file() and not path.name.startswith("."))


@pytest.mark.parametrize("name", CHANCES)
def test_a_power_cut_leaves_what_was_promised_and_nothing_torn(disk: Disk, tmp_path: Path, name: str) -> None:
    for count in range(len(disk.calls) + 1):
        folder = tmp_path / f"after {count}"
        put(list(survivors(disk.at(count), CHANCES[name])), folder)
        check(disk, count, folder)
    assert count > 100, "each file takes some calls"
    assert len(disk.promises) > 5


def test_a_run_goes_on_after_a_power_cut(disk: Disk, tmp_path: Path, manifest: Manifest, make_record: Make) -> None:
    whole = RunFolder.open(disk.root / "run").content_digest()
    for count in range(0, len(disk.calls), 5):
        folder = tmp_path / f"after {count}"
        put(list(survivors(disk.at(count), CHANCES["a part"])), folder)
        resumed = play(folder / "run", manifest, make_record)
        assert verify(resumed) == []
        assert resumed.content_digest() == whole


def test_nothing_is_built_on_what_a_killed_writer_had_not_flushed(
    tmp_path: Path, manifest: Manifest, make_record: Make
) -> None:
    for count in itertools.count(0, 4):
        disk = Disk(tmp_path / f"{count}", dies_at=count)
        disk.root.mkdir()
        try:
            begun(disk, manifest, make_record)
            break
        except Killed:
            disk.dies_at = None
        begun(disk, manifest, make_record)
        for when in {when for when, _ in disk.promises}:
            folder = tmp_path / f"{count}, a power cut after {when}"
            put(list(survivors(disk.at(when), CHANCES["nothing"])), folder)
            check(disk, when, folder)
    assert count > 100
