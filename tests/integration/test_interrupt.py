"""Ctrl-C at a real terminal: once finishes what runs, twice stops it, and the same command goes on."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from harness.benchmarks.demo import judge
from harness.benchmarks.demo.conversation import Conversation
from harness.benchmarks.demo.policy import Reply
from harness.store.runfolder import RunFolder
from harness.store.verify import verify
from tests.integration.conftest import command
from tests.integration.gated import Gated, gated
from tests.integration.terminal import CTRL_C, Terminal
from tests.sandbox.conftest import gone_within, tree

pytestmark = pytest.mark.integration

Harness = Callable[..., Awaitable[Any]]


def says(_: Conversation) -> Reply:
    return Reply("It is \\boxed{something}.")


@pytest.fixture
async def policy() -> AsyncIterator[Gated]:
    async with gated("m", says) as endpoint:
        yield endpoint


def arguments(run: Path, policy: Gated, *more: str) -> list[str]:
    endpoint = ("--policy-base-url", policy.url, "--policy-model", "m")
    return ["eval", "babyvision", "--demo", "--limit", "2", *endpoint, "--run", str(run), *more]


def mounts() -> str:
    return Path("/proc/self/mountinfo").read_text()


@asynccontextmanager
async def at_a_terminal(environment: dict[str, str], *words: str) -> AsyncIterator[Terminal]:
    terminal = await Terminal.start(command(*words), environment)
    try:
        yield terminal
    finally:
        terminal.close()


async def test_once_finishes_what_runs_and_starts_nothing_new(
    environment: dict[str, str], harness: Harness, policy: Gated, tmp_path: Path
) -> None:
    words = arguments(tmp_path / "R", policy, "--no-preflight")
    async with at_a_terminal(environment, *words) as terminal:
        await asyncio.wait_for(policy.asked.wait(), 120)
        terminal.press(CTRL_C)
        await terminal.until("interrupted: finishing 1 sandbox")
        await asyncio.sleep(2)
        assert terminal.process.returncode is None, terminal.said
        policy.gate.set()
        assert await terminal.ended() == 130, terminal.said
    assert f"run the same command with --run {tmp_path / 'R'}" in "".join(terminal.said.split("\r\n"))
    run = RunFolder.open(tmp_path / "R")
    assert [done.task for done in run.dones()] == ["1"]
    assert run.attempt_names("2", 0) == []
    assert verify(run) == []
    kept = json.loads((tmp_path / "R/summary.json").read_bytes())
    assert (kept["planned"], kept["measured"], kept["outcomes"]) == (2, 1, {"answered": 1, "unfinished": 1})

    done = await harness(*words, "--json")
    assert done.status == 0, done.said
    assert (done.summary["new_attempts"], done.summary["measured"]) == (1, 2)


async def test_twice_stops_at_once_and_leaves_nothing(
    environment: dict[str, str], harness: Harness, policy: Gated, tmp_path: Path, short_folder: Path
) -> None:
    environment["HARNESS_STATE_DIR"] = str(short_folder)
    words = arguments(tmp_path / "R", policy, "--no-preflight")
    async with at_a_terminal(environment, *words) as terminal:
        await asyncio.wait_for(policy.asked.wait(), 120)
        started = tree(terminal.process.pid)
        assert len(started) > 5
        terminal.press(CTRL_C)
        await terminal.until("interrupted: finishing 1 sandbox")
        await asyncio.sleep(0.3)
        terminal.press(CTRL_C)
        pressed = time.monotonic()
        assert await terminal.ended(2) == 130, terminal.said
        assert gone_within(started, 2 - (time.monotonic() - pressed)) == [], terminal.said
    assert "stopped; to go on" in terminal.said
    assert str(short_folder) not in mounts()
    assert not (tmp_path / "R/summary.json").exists()

    policy.gate.set()
    done = await harness(*words, "--json")
    assert done.status == 0, done.said
    assert (done.summary["new_attempts"], done.summary["measured"]) == (2, 2)
    assert verify(RunFolder.open(tmp_path / "R")) == []


async def test_the_first_one_ends_a_preflight(environment: dict[str, str], policy: Gated, tmp_path: Path) -> None:
    async with at_a_terminal(environment, *arguments(tmp_path / "R", policy)) as terminal:
        await asyncio.wait_for(policy.asked.wait(), 120)
        terminal.press(CTRL_C)
        assert await terminal.ended(5) == 130, terminal.said
    assert not (tmp_path / "R").exists()


async def test_the_first_one_ends_the_grading_and_what_was_played_is_graded_by_the_next_call(
    environment: dict[str, str], harness: Harness, policy: Gated, tmp_path: Path
) -> None:
    policy.gate.set()
    async with gated("j", judge.reply) as judging:
        endpoint = ("--judge-base-url", judging.url, "--judge-model", "j")
        words = arguments(tmp_path / "R", policy, "--no-preflight", "--tasks", "1", *endpoint)
        async with at_a_terminal(environment, *words) as terminal:
            await terminal.until("1 with the judge")
            terminal.press(CTRL_C)
            assert await terminal.ended(5) == 130, terminal.said
        kept = json.loads((tmp_path / "R/summary.json").read_bytes())
        assert (kept["measured"], kept["masked_outcomes"]) == (0, {"not-graded": 1})
        judging.gate.set()
        done = await harness(*words, "--json")
    assert done.status == 0, done.said
    assert (done.summary["new_attempts"], done.summary["measured"], done.summary["reward"]) == (0, 1, 0.0)
