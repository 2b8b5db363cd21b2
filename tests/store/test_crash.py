"""Writers that are killed, and writers that race: what a reader sees is always whole."""

import contextlib
import itertools
import multiprocessing
import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

from harness.store.manifest import Manifest
from harness.store.record import AttemptRecord
from harness.store.runfolder import RunFolder
from harness.store.verify import verify
from tests.store.whole import play

Make = Callable[..., AttemptRecord]
FORK = multiprocessing.get_context("fork")
ROUNDS = 20
TASK_SET = b"[]"  # what the manifest names


def test_kill_at_any_moment_leaves_no_torn_file(tmp_path: Path, manifest: Manifest, make_record: Make) -> None:
    path, moments, counts = tmp_path / "run", random.Random(2), []
    manifest = attrs.evolve(manifest, plan={"tasks": [*map(str, range(1000))], "repeats": 1})
    for _ in range(ROUNDS):
        child = FORK.Process(target=play, args=(path, manifest, make_record, 1000))
        child.start()
        time.sleep(moments.uniform(0.01, 0.3))
        child.kill()
        child.join()
        assert child.exitcode == -signal.SIGKILL
        if (path / "manifest.json").exists():
            run = RunFolder.open(path)
            assert verify(run) == []
            counts.append(len(list(run.dones())))
    assert counts == sorted(counts), "what counted before a kill counts after it"
    assert counts[-1] > 0, "some work was done"


def kill_at(count: int) -> None:
    """Die by SIGKILL just before the ``count``-th call that changes a disk, or in the middle of it where it writes."""
    left, write = iter(range(count, 0, -1)), os.write

    def dying(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            if next(left, 0) == 1:
                if name == "write":
                    write(args[0], args[1][: len(args[1]) // 2])
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*args, **options)

        return call

    for name in ("open", "write", "fsync", "replace", "link", "unlink", "mkdir"):
        setattr(os, name, dying(name, getattr(os, name)))


def dying_play(path: Path, manifest: Manifest, make_record: Make, count: int) -> None:
    kill_at(count)
    play(path, manifest, make_record)


def test_kill_at_each_step_leaves_no_torn_file(
    tmp_path: Path, manifest: Manifest, make_record: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)  # a killed process loses nothing that the kernel has
    whole = play(tmp_path / "whole", manifest, make_record)
    steps = 0
    for count in itertools.count(1, 3):  # each file takes seven steps, so all of them come up
        path = tmp_path / str(count)
        child = FORK.Process(target=dying_play, args=(path, manifest, make_record, count))
        child.start()
        child.join()
        if (path / "manifest.json").exists():
            run = RunFolder.open(path)
            assert verify(run) == [], f"killed at step {count}"
        if child.exitcode == 0:
            break
        assert child.exitcode == -signal.SIGKILL
        resumed = play(path, manifest, make_record)
        assert verify(resumed) == []
        assert resumed.content_digest() == whole.content_digest()
        assert len(resumed.attempts("0", 0)) == 1, f"killed at step {count}: it was played again"
        steps = count
    assert steps > 100
    assert names(RunFolder.open(path)) == names(whole)


def names(run: RunFolder) -> set[str]:
    """The top folders and files of a run, so that each kind of file was met."""
    return {entry.name for entry in run.layout.root.iterdir()}


def publish(path: Path, manifest: Manifest, make_record: Make, name: str, start: Any, won: Any) -> None:
    run = RunFolder.create(path, manifest, TASK_SET)
    refs = [run.write_attempt(make_record(run.blobs, task=str(task), steps=0, run_id=name)) for task in range(20)]
    for ref in refs:
        start.wait()
        if run.publish_done(ref):
            won.put((ref.task, ref.name))


def test_of_writers_that_race_one_wins(tmp_path: Path, manifest: Manifest, make_record: Make) -> None:
    path, start, won = tmp_path / "run", FORK.Barrier(2), FORK.Queue()
    children = [
        FORK.Process(target=publish, args=(path, manifest, make_record, name, start, won)) for name in ("a", "b")
    ]
    with contextlib.ExitStack() as stack:
        for child in children:
            child.start()
            stack.callback(child.kill)
        winners = [won.get(timeout=30) for _ in range(20)]
        for child in children:
            child.join(30)
            assert child.exitcode == 0
    assert won.empty()
    run = RunFolder.open(path)
    assert sorted(winners) == sorted((done.task, done.attempt) for done in run.dones())
    assert all(len(run.attempts(str(task), 0)) == 2 for task in range(20)), "the loser's work is kept"
    assert verify(run) == []
