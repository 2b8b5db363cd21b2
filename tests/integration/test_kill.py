"""The harness's death ends everything that it started, and the next start sweeps what is left on disk."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

pytestmark = pytest.mark.integration


@pytest.fixture
async def silent_policy() -> Any:
    """A policy that takes a request and never answers; gives its URL and an event that the first request sets."""
    asked, over = asyncio.Event(), asyncio.Event()

    async def chat(_: web.Request) -> web.Response:
        asked.set()
        await over.wait()
        return web.Response()

    async def models(_: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": "m", "max_model_len": 8192}]})

    app = web.Application()
    app.add_routes([web.post("/v1/chat/completions", chat), web.get("/v1/models", models)])
    runner = web.AppRunner(app, shutdown_timeout=0)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    yield f"http://127.0.0.1:{port}/v1", asked
    over.set()
    await runner.cleanup()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
async def test_nothing_is_left_two_seconds_after_a_signal(
    number: signal.Signals,
    start: Callable[..., Awaitable[asyncio.subprocess.Process]],
    harness: Callable[..., Awaitable[Any]],
    environment: dict[str, str],
    silent_policy: tuple[str, asyncio.Event],
    tmp_path: Path,
    short_folder: Path,
) -> None:
    url, asked = silent_policy
    environment["HARNESS_STATE_DIR"] = str(short_folder)
    arguments = ("eval", "babyvision", "--demo", "--limit", "1", "--no-preflight", "--run", tmp_path / "R")
    process = await start(*arguments, "--policy-base-url", url, "--policy-model", "m")
    await asyncio.wait_for(asked.wait(), 120)
    inside = _inside(process.pid)
    assert any("opencode" in _command(pid) for pid in inside)
    assert any("podman" in _command(pid) for pid in inside)

    process.send_signal(number)
    await asyncio.sleep(2)
    assert [_command(pid) for pid in inside if _alive(pid)] == []
    assert await asyncio.wait_for(process.wait(), 1) == {signal.SIGKILL: -signal.SIGKILL}.get(number, 130)
    assert str(short_folder) not in _mounts()

    left = _states(short_folder)
    assert bool(left) == (number == signal.SIGKILL)
    done = await harness("eval", "babyvision", "--demo", "--limit", "1", "--run", tmp_path / "R2", "--json")
    assert done.status == 0, done.said
    assert _states(short_folder) == []


def _inside(outer: int) -> set[int]:
    """All processes below one, as the host numbers them."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
    found: set[int] = set()
    while grown := {pid for pid, parent in parents.items() if parent in {outer, *found}} - found:
        found |= grown
    return found


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _mounts() -> str:
    return Path("/proc/self/mountinfo").read_text()


def _states(folder: Path) -> list[str]:
    """What is left of states: folders that some process of the harness made for itself."""
    base = folder / f"hermetic-{os.getuid()}"
    return sorted(entry.name for entry in base.iterdir() if entry.name != "bin") if base.is_dir() else []
