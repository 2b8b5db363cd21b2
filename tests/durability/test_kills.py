"""A small share of tests/durability/killing.py, and that its schedule leaves nothing out."""

from pathlib import Path

import pytest

from tests.durability.campaign import campaign
from tests.durability.points import POINTS, Point
from tests.durability.schedule import PHASES, Kill, schedule

pytestmark = pytest.mark.integration

DEMO = ("eval", "babyvision", "--demo", "--tasks", "1,2,3", "--jobs", "2")
SHARE = [
    Kill(Point("manifest", "unnamed")),
    Kill(Point("pack", "unflushed")),
    Kill(Point("record", "unsynced")),
    Kill(phase="playing", seconds=3.0),
    Kill(Point("done", "unnamed")),
    Kill(Point("summary", "unnamed")),
]


def test_a_hundred_kills_meet_every_point_and_every_phase() -> None:
    kills = [kill for folder in schedule(1, 100) for kill in folder]
    assert len(kills) == 100
    assert {kill.point for kill in kills} == {*POINTS, None}
    assert {kill.phase for kill in kills} == {*PHASES, None}


@pytest.mark.parametrize("count", [0, 1, 7, 54, 99, 101])
def test_a_schedule_has_as_many_kills_as_it_is_asked_for(count: int) -> None:
    assert sum(map(len, schedule(2, count))) == count


async def test_each_task_is_measured_once_whenever_the_harness_is_killed(
    environment: dict[str, str], short_folder: Path, tmp_path: Path
) -> None:
    environment["HARNESS_STATE_DIR"] = str(short_folder)
    table = await campaign(tmp_path, environment, DEMO, 3, [SHARE])
    assert table.kills.total() == len(SHARE), table
