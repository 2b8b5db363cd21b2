"""How long the self-test takes, and its share of a run.

Not collected by default. Run it by name, on a machine that does nothing else:

    nix run .#tests -- tests/speed/selftest.py -s

``quick`` is the part before the first task of every run, from its record (goal: 3 s); ``run`` the whole command, with
one demo rollout; ``full`` is ``doctor --sandbox`` with all twins, less what ``doctor`` takes alone. Seconds of wall
clock.
"""

import asyncio
import json
import statistics
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

ROUNDS = 5


async def test_selftest(tmp_path: Path) -> None:
    rows: list[dict[str, float]] = []
    for number in range(-1, ROUNDS):
        folder = tmp_path / str(number)
        whole = await _command("eval", "babyvision", "--demo", "--limit", "1", "--run", folder)
        alone, full = await _command("doctor"), await _command("doctor", "--sandbox")
        if number >= 0:  # the first round warms the page cache
            rows.append({"quick": _quick(folder), "run": whole, "full": full - alone})
    print()
    for name in rows[0]:
        values = [row[name] for row in rows]
        print(f"{name:<6} min {min(values):6.2f}  median {statistics.median(values):6.2f}  max {max(values):6.2f}")
    print(f"share  {statistics.median(row['quick'] / row['run'] for row in rows):6.2f}")


def _quick(folder: Path) -> float:
    """Of the one start that a run has."""
    observed = [json.loads(path.read_text()) for path in (folder / "observed").iterdir()]
    (taken,) = [one["selftest"]["milliseconds"] for one in observed if one["kind"] == "start"]
    return float(taken) / 1000


async def _command(*arguments: str | Path) -> float:
    began = time.monotonic()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-m", "harness.cli", *map(str, arguments)),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert await process.wait() == 0, arguments
    return time.monotonic() - began
