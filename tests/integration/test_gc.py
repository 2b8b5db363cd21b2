"""Collecting after a real kill: refused while the run's owner lives, then what it left goes."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.integration

DEMO = ("eval", "babyvision", "--demo", "--limit", "1")


async def test_nothing_goes_while_the_owner_lives_and_all_that_it_left_afterwards(
    start: Callable[..., Awaitable[asyncio.subprocess.Process]],
    harness: Callable[..., Awaitable[Any]],
    environment: dict[str, str],
    tmp_path: Path,
    short_folder: Path,
) -> None:
    environment |= {"HARNESS_STATE_DIR": str(short_folder), "HOME": str(tmp_path)}
    run = tmp_path / "R"
    process = await start(*DEMO, "--run", run)
    await begun(short_folder, run)
    refused = await harness("gc", run, "--older-than", "0", "--delete")
    assert refused.status == 1
    assert f"A process works on {run}" in refused.said
    assert (await harness("gc", "--json")).summary["leftovers"] == []

    process.kill()
    await process.wait()
    await asyncio.sleep(1)
    (run / f".{'0' * 16}").write_bytes(b"abc")
    taken = await harness("gc", run, "--older-than", "0", "--delete", "--json")
    assert taken.status == 0, taken.said
    assert {"path": str(run / f".{'0' * 16}"), "kind": "temporary file", "bytes": 3} in taken.summary["leftovers"]

    left = await harness("gc", "--json")
    assert {one["kind"] for one in left.summary["leftovers"]} == {"state of a dead process"}
    assert states(short_folder) == sorted(Path(one["path"]).name for one in left.summary["leftovers"])
    gone = await harness("gc", "--delete", "--json")
    assert (gone.status, gone.summary["leftovers"]) == (0, left.summary["leftovers"]), gone.said
    assert states(short_folder) == []

    done = await harness(*DEMO, "--run", run, "--json")
    assert done.status == 0, done.said
    assert (await harness("verify", run)).status == 0


async def begun(base: Path, run: Path) -> None:
    """Wait until the run has an owner, and its sandboxes a state."""
    for _ in range(1200):
        if len(observed(run)) == 2 and len(states(base)) == 2:
            return
        await asyncio.sleep(0.05)
    pytest.fail("the run did not begin within a minute")


def observed(run: Path) -> list[Path]:
    return [path for path in run.glob("observed/*.json") if not path.name.startswith(".")]


def states(base: Path) -> list[str]:
    folder = base / f"hermetic-{os.getuid()}"
    return sorted(entry.name for entry in folder.iterdir() if entry.name != "bin") if folder.is_dir() else []
