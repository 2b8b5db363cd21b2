"""A small share of tests/durability/cleaning.py; and a run beside one that is killed and swept away."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from harness.benchmarks.demo.policy import reply
from harness.benchmarks.demo.server import POLICY_MODEL
from tests.durability.aftermath import outcome
from tests.durability.endings import ENDINGS, Ending, Machine, run
from tests.integration.gated import Gated, gated

pytestmark = pytest.mark.integration

Harness = Callable[..., Awaitable[Any]]
Start = Callable[..., Awaitable[asyncio.subprocess.Process]]

DEMO = ("eval", "babyvision", "--demo", "--tasks", "1,2", "--jobs", "2")


@pytest.mark.parametrize("ending", [ending for ending in ENDINGS if ending.aim != "harness"], ids=lambda it: it.name)
async def test_nothing_is_left_when_what_the_harness_started_dies(
    environment: dict[str, str], harness: Harness, short_folder: Path, tmp_path: Path, ending: Ending
) -> None:
    environment |= {"HARNESS_STATE_DIR": str(short_folder), "HOME": str(tmp_path)}
    before = Machine.seen(short_folder)
    words = [*DEMO, "--run", str(tmp_path / "R")]
    await run(words, ending, 7.0, environment, tmp_path / "log")
    assert (await harness("gc", "--delete", "--json")).status == 0
    assert Machine.seen(short_folder).names <= before.names
    assert Machine.seen(short_folder).used == before.used
    assert await run(words, ENDINGS[0], 0, environment, tmp_path / "log") == 0
    outcome(tmp_path / "R", 2)


async def test_a_run_is_not_touched_by_one_beside_it_that_is_killed_and_swept(
    environment: dict[str, str], harness: Harness, start: Start, short_folder: Path, tmp_path: Path
) -> None:
    environment |= {"HARNESS_STATE_DIR": str(short_folder), "HOME": str(tmp_path)}
    alone, beside, killed = (tmp_path / name for name in ("alone", "beside", "killed"))
    async with policy() as quick, policy() as slow, policy() as doomed:
        quick.gate.set()
        assert (await harness(*asking(quick), "--run", alone)).status == 0
        victim = await start(*asking(doomed), "--run", killed)
        other = asyncio.create_task(harness(*asking(slow), "--run", beside, "--json"))
        await asyncio.gather(doomed.asked.wait(), slow.asked.wait())
        assert victim.returncode is None
        victim.kill()
        await victim.wait()
        await swept(harness)
        assert not other.done()
        slow.gate.set()
        end = await other
    assert end.status == 0, end.said
    assert outcome(beside, 2).content == outcome(alone, 2).content


async def swept(harness: Harness) -> None:
    """Sweep what the killed one left, once the kernel has ended all of it."""
    for _ in range(40):
        found = await harness("gc", "--delete", "--json")
        assert found.status == 0, found.said
        if kinds := {one["kind"] for one in found.summary["leftovers"]}:
            assert kinds == {"state of a dead process"}
            return
        await asyncio.sleep(0.25)
    pytest.fail("there was nothing to sweep")


def policy() -> AbstractAsyncContextManager[Gated]:
    """The demo's policy behind a gate: a run that asks it goes on for as long as the test wants."""
    return gated(POLICY_MODEL, reply)


def asking(endpoint: Gated) -> tuple[str, ...]:
    """The command line of a run that asks it."""
    return (*DEMO, "--no-preflight", "--policy-base-url", endpoint.url, "--policy-model", POLICY_MODEL)
