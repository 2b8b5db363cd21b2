"""Kills the harness 100 times, at random moments and at each step of each kind of file, and resumes: nothing is lost.

Not collected by default, since it takes half an hour. Run it by name:

    nix run .#tests -- tests/durability/killing.py -s          HARNESS_KILLS=N for fewer, HARNESS_SEED=N for others
"""

import os
from pathlib import Path

import pytest

from tests.durability.campaign import campaign
from tests.durability.schedule import schedule

pytestmark = [pytest.mark.integration, pytest.mark.timeout(4 * 3600)]

DEMO = ("eval", "babyvision", "--demo", "--limit", "12", "--jobs", "2")


async def test_each_task_is_measured_once_whenever_the_harness_is_killed(
    environment: dict[str, str], short_folder: Path, tmp_path: Path
) -> None:
    environment["HARNESS_STATE_DIR"] = str(short_folder)
    seed, kills = (
        int(os.environ.get(name, default)) for name, default in (("HARNESS_SEED", "1"), ("HARNESS_KILLS", "100"))
    )
    table = await campaign(tmp_path, environment, DEMO, 12, schedule(seed, kills), print)
    print(table)
    assert table.kills.total() == kills
