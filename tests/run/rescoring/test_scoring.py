"""Scores from files alone: the same bytes as when the run was played, whoever computes them and in what order."""

import os
import random
import shutil
from collections.abc import Callable
from typing import Any

import attrs
import pytest

from harness.errors import StoreCorruptError
from harness.run import scorers
from harness.run.plan import Item
from harness.run.rescoring import shares
from harness.run.rescoring.scoring import Mark, Row, Scoring
from harness.run.results import planned
from harness.store.runfolder import RunFolder
from harness.store.sealed import seal, unseal

Files = Callable[[RunFolder], dict[str, bytes]]
Rescore = Callable[..., dict[str, Any]]


def scoring(run: RunFolder) -> Scoring:
    name = scorers.current(run)
    assert name is not None
    return Scoring(run, scorers.benchmark_of(run), scorers.read(run, name), name)


def test_scores_and_summary_come_back_byte_for_byte(run: RunFolder, rescore: Rescore, files: Files) -> None:
    before = files(run)
    shutil.rmtree(run.layout.scores)
    (run.layout.root / "summary.json").unlink()
    report = rescore(run)
    assert files(run) == before
    assert report["written"] == len([path for path in before if path.startswith("scores/")]) == 40


def test_what_is_there_is_not_written_again(run: RunFolder, rescore: Rescore) -> None:
    times = {path: path.stat().st_mtime_ns for path in run.layout.root.rglob("*.json")}
    assert rescore(run)["written"] == 0
    assert {path: path.stat().st_mtime_ns for path in run.layout.root.rglob("*.json")} == times


def test_order_and_number_of_processes_make_no_difference(run: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    items = list(planned(run, scorers.benchmark_of(run)))
    alone = scoring(run).rows(items, write=False)
    monkeypatch.setattr(shares, "FEW", 2)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(3)))
    mixed = random.Random(1).sample(items, len(items))
    assert sorted(scoring(run).rows(mixed, write=False), key=_place) == sorted(alone, key=_place)


def _place(row: Row) -> Item:
    return row.item


def test_a_damaged_score_is_mended(run: RunFolder, rescore: Rescore, files: Files) -> None:
    before = files(run)
    path = next(run.layout.scores.rglob("*.json"))
    path.write_bytes(b"{}")
    report = rescore(run)
    assert (report["written"], report["moved"]["rows"]) == (1, [])
    assert files(run) == before


def test_marks_are_compared_with_those_of_another_scorer(run: RunFolder) -> None:
    now = scoring(run)
    item = planned(run, now.benchmark)[0]
    path = run.layout.score(now.scorer.digest, item.task, item.repeat)
    other = now.scorer.with_judging(7)
    run.grades.write_score(other.digest, item.task, item.repeat, {**unseal(path.read_bytes()), "reward": 0.5})
    (row,) = attrs.evolve(now, before=other.digest).rows([item], write=False)
    assert row.before == Mark(0.5, row.mark.verdict if row.mark else None)


def _flip(data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


@pytest.mark.parametrize("where", ["attempt", "done", "reply", "task set"])
@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_a_flipped_bit_is_found_and_named(run: RunFolder, rescore: Rescore, where: str, part: float) -> None:
    done = next(run.dones())
    path = {
        "attempt": run.layout.attempt(done.task, done.repeat, done.attempt),
        "done": run.layout.done(done.task, done.repeat),
        "reply": min(run.layout.judge.rglob("*.json")),
        "task set": run.blobs.path(run.manifest.tasks),
    }[where]
    data = path.read_bytes()
    path.write_bytes(_flip(data, int(len(data) * part)))
    with pytest.raises(StoreCorruptError) as raised:
        rescore(run)
    assert str(path) in str(raised.value)


def test_a_reply_that_proves_its_bytes_but_says_something_else_shows_in_the_scores(
    run: RunFolder, check: Callable[..., list[tuple[str, str]]]
) -> None:
    path = next(path for path in sorted(run.layout.judge.rglob("0.json")) if b"different" in path.read_bytes())
    call = unseal(path.read_bytes())
    path.write_bytes(seal({**call, "body": call["body"].replace("different", "equivalent")}))
    found = check(run)
    assert [what for _, what in found] == ["differs", "differs"]
    assert found[0][0].startswith("scores/")
    assert found[1][0] == "summary.json"


def test_a_plan_of_tasks_that_the_task_set_does_not_hold_is_damage(run: RunFolder) -> None:
    now = scoring(run)
    empty = attrs.evolve(now.benchmark, puzzles={})  # type: ignore[misc]
    with pytest.raises(StoreCorruptError, match="plans what the task set doesn't hold"):
        attrs.evolve(now, benchmark=empty).rows(planned(run, now.benchmark)[:1], write=False)


@pytest.mark.parametrize("kind", ["fifo", "folder", "link"])
def test_a_score_that_is_no_plain_file_is_damage(run: RunFolder, check: Callable[..., Any], kind: str) -> None:
    path = next(run.layout.scores.rglob("*.json"))
    path.unlink()
    match kind:
        case "fifo":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "link":
            path.symlink_to("nothing")
    with pytest.raises(StoreCorruptError, match=f"{path.name} is no plain file"):
        check(run)


@pytest.mark.parametrize("kind", ["attempts", "done", "observed", "blobs"])
def test_nothing_waits_for_a_fifo(run: RunFolder, check: Callable[..., Any], kind: str) -> None:
    path = max(path for path in (run.layout.root / kind).rglob("*") if path.is_file())
    if kind == "blobs":
        path = run.blobs.path(run.manifest.tasks)
    if kind == "attempts":
        path = run.layout.attempt(
            "1", 0, next(done.attempt for done in run.dones() if (done.task, done.repeat) == ("1", 0))
        )
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(StoreCorruptError, match=f"{path.name} is no plain file"):
        check(run)


def test_a_file_in_place_of_the_scores_is_damage(run: RunFolder, check: Callable[..., Any]) -> None:
    shutil.rmtree(run.layout.scores)
    run.layout.scores.write_bytes(b"")
    with pytest.raises(StoreCorruptError, match=r"scores/.* can't be read: Not a directory"):
        check(run)
