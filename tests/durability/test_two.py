"""Two processes on one run folder at the same time: each task counts once, whatever becomes of one of them."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from harness.store.grades import read_object
from harness.store.runfolder import RunFolder
from tests.durability.aftermath import left

pytestmark = pytest.mark.integration

Harness = Callable[..., Awaitable[Any]]
Start = Callable[..., Awaitable[asyncio.subprocess.Process]]

DEMO = ("eval", "babyvision", "--demo", "--tasks", "1,2")


async def test_two_at_once_and_one_of_two_killed(harness: Harness, start: Start, tmp_path: Path) -> None:
    alone, both, killed = (tmp_path / name for name in ("alone", "both", "killed"))
    assert (await harness(*DEMO, "--run", alone)).status == 0
    ends = await asyncio.gather(*(harness(*DEMO, "--run", both, "--json") for _ in range(2)))
    assert [end.status for end in ends] == [0, 0], ends[0].said + ends[1].said
    assert [end.summary["measured"] for end in ends] == [2, 2]
    assert counted(both) == counted(alone)

    victim = await start(*DEMO, "--run", killed)
    other = asyncio.create_task(harness(*DEMO, "--run", killed, "--json"))
    await both_began(killed)
    await asyncio.sleep(3)
    victim.kill()
    end = await other
    assert end.status == 0, end.said
    assert counted(killed) == counted(alone)


async def both_began(folder: Path) -> None:
    """Wait until both have made a start."""
    for _ in range(1200):
        if len(started(folder)) == 2:
            return
        await asyncio.sleep(0.05)
    pytest.fail("two processes did not begin within a minute")


def started(folder: Path) -> list[Path]:
    """The starts; other files in observed/ say by which scorer the run is graded."""
    paths = [path for path in folder.glob("observed/*.json") if not path.name.startswith(".")]
    return [path for path in paths if read_object(path)["kind"] == "start"]


def counted(folder: Path) -> tuple[list[tuple[str, int, str]], str, dict[str, bytes]]:
    """What counts: the same, whoever measured it; other attempts are kept and count nothing."""
    left(folder)
    run = RunFolder.open(folder)
    scores = {str(path.relative_to(folder)): path.read_bytes() for path in folder.glob("scores/*/*/*.json")}
    return [(done.task, done.repeat, done.content) for done in run.dones()], run.content_digest(), scores
