"""All twelve demo puzzles: the score that the script intends, and a run in two parts."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from harness.benchmarks.demo import puzzles
from harness.store.references import content_of
from harness.store.runfolder import RunFolder
from harness.store.verify import verify
from tests.docs.documents import DOCS, ROOT, Page

pytestmark = pytest.mark.integration

DEMO = ("eval", "babyvision", "--demo", "--json")
DERIVED = ("run", "new_attempts", "interrupted")


def intended(meaning: str) -> int:
    return sum(puzzles.intended(task) == meaning for task in range(1, 13))


def shown() -> list[str]:
    """The lines of README.md's table that are the same in every run of all twelve puzzles."""
    (table,) = (text for _, text in Page.read(ROOT / "README.md").fences("") if text.startswith("run  "))
    return [line for line in table.splitlines() if not line.startswith(("run  ", "waiting  ", "report  ", "..."))]


async def test_twelve_puzzles_score_as_intended_and_a_finished_run_plays_nothing(
    harness: Callable[..., Awaitable[Any]], tmp_path: Path
) -> None:
    words = (*DEMO, "--limit", "12", "--run", tmp_path / "R")
    done = await harness(*words, "--jobs", "2")
    assert done.status == 0, done.said
    found = done.summary
    assert (found["planned"], found["measured"], found["new_attempts"], found["attempts"]) == (12, 12, 12, 12)
    assert found["outcomes"] == {"answered": 12 - intended("silent"), "no-answer": intended("silent")}
    assert found["reward"] == intended("right") / 12 == 0.75
    assert len(found["groups"]["type"]) == 4
    assert len(found["groups"]["subtype"]) >= 6
    assert verify(RunFolder.open(tmp_path / "R")) == []
    printed = done.said.splitlines()
    assert [line for line in shown() if line not in printed] == [], "README.md shows another table"
    first_two = content_of(done for done in RunFolder.open(tmp_path / "R").dones() if done.task in ("1", "2"))
    assert f"content digest {first_two}" in (DOCS / "reproduce.md").read_text()

    before = (tmp_path / "R/summary.json").read_bytes()
    again = await harness(*words)
    assert (again.status, again.summary["new_attempts"]) == (0, 0), again.said
    assert (tmp_path / "R/summary.json").read_bytes() == before
    assert {name: value for name, value in again.summary.items() if name not in DERIVED} == {
        name: value for name, value in found.items() if name not in DERIVED
    }


async def test_two_shards_play_one_run_at_the_same_time(harness: Callable[..., Awaitable[Any]], tmp_path: Path) -> None:
    words = (*DEMO, "--tasks", "1,2,5", "--demo-seed", "7", "--run", tmp_path / "R")
    parts = await asyncio.gather(*(harness(*words, "--shard", f"{index}/2") for index in range(2)))
    assert [part.status for part in parts] == [0, 0], parts[0].said + parts[1].said
    assert sum(part.summary["planned"] for part in parts) == 3
    assert all(0 < part.summary["measured"] == part.summary["planned"] for part in parts)
    whole = await harness(*words)
    assert (whole.summary["new_attempts"], whole.summary["measured"]) == (0, 3), whole.said
    assert whole.summary["reward"] == pytest.approx(2 / 3)
    assert whole.summary["content_digest"] in {part.summary["content_digest"] for part in parts}
    assert verify(RunFolder.open(tmp_path / "R")) == []
