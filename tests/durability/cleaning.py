"""200 demo rollouts, ended at random in every way that there is: nothing of them stays on the machine.

Not collected by default, since it takes three quarters of an hour. Run it by name, on a machine that does nothing else:

    nix run .#tests -- tests/durability/cleaning.py -s          HARNESS_ROLLOUTS=N for fewer, HARNESS_SEED=N for others
"""

import os
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.durability.endings import ENDINGS, Ending, Machine, run

pytestmark = [pytest.mark.integration, pytest.mark.timeout(4 * 3600)]

DEMO = ("eval", "babyvision", "--demo", "--limit", "12", "--jobs", "2")
#: Seconds from a start in which Python itself comes up, and ends in ways of its own.
BEGUN = 1.0
WITHIN = 40.0  # seconds from a start within which a signal comes: a third of what a run of twelve takes


async def test_nothing_is_left_however_runs_end(
    environment: dict[str, str], harness: Callable[..., Awaitable[Any]], short_folder: Path, tmp_path: Path
) -> None:
    environment |= {"HARNESS_STATE_DIR": str(short_folder), "HOME": str(tmp_path)}
    wanted, seed = (int(os.environ.get(f"HARNESS_{name}", usual)) for name, usual in (("ROLLOUTS", 200), ("SEED", 1)))
    chance = random.Random(seed)
    before = Machine.seen(short_folder)
    folder, folders, ended = tmp_path / "R0", 1, Counter[str]()
    dealt = deal(chance)
    while attempts(tmp_path) < wanted:
        ending = next(dealt)
        status = await run(
            [*DEMO, "--run", str(folder)], ending, chance.uniform(BEGUN, WITHIN), environment, tmp_path / "log"
        )
        ended[f"{ending.name}: {status}"] += 1
        print(f"{ended.total():>4}  {folder.name}  {ending.name}: exit status {status}", flush=True)
        if status == 0:
            folder, folders = tmp_path / f"R{folders}", folders + 1
    swept = await harness("gc", "--delete", "--json")
    assert swept.status == 0, swept.said
    after = Machine.seen(short_folder)
    assert after.names - before.names == frozenset()
    assert after.used == before.used
    verified = [await harness("verify", path) for path in runs(tmp_path)]
    assert [found.status for found in verified] == [0] * len(verified)
    print("\n".join(f"{name:<32}{count:>5}" for name, count in sorted(ended.items())))
    count = f"{attempts(tmp_path)} rollouts in {folders} folders, {ended.total()} starts"
    print(f"{count}: no process, mount or file of theirs is left")


def deal(chance: random.Random) -> Iterator[Ending]:
    """Endings in any order, each as often as the others; every third start goes on to its end, so that a folder of
    twelve is finished and another one begun."""
    undisturbed, *others = ENDINGS
    while True:
        for number, ending in enumerate(chance.sample(others, len(others))):
            yield ending
            if number % 2:
                yield undisturbed


def attempts(folder: Path) -> int:
    """How many attempts were kept in all run folders."""
    return sum(1 for _ in folder.glob("R*/attempts/*/*/*.json"))


def runs(folder: Path) -> list[Path]:
    """The run folders that got as far as a manifest."""
    return sorted(path.parent for path in folder.glob("R*/manifest.json"))
