"""What a sandboxed rollout costs beside bare OpenCode: the same scripted talk in turns, in the same minutes.

Not collected by default. Run it by name, on a machine that does nothing else:

    nix run .#tests -- tests/speed/overhead.py -s

``bare`` is OpenCode of the pinned rootfs as a plain process of the host. ``rollout`` is one attempt inside a run, from
its record: making the sandbox, the agent, evidence, removal. ``command`` is the whole of ``harness eval``: start of
Python, namespace, Podman's service, one attempt, grading, the record. CPU is that of each command and its children.
"""

import asyncio
import statistics
import sys
from pathlib import Path

import pytest

from harness.benchmarks.demo import server
from harness.store.runfolder import RunFolder
from tests.speed.bare import bare, demo_task, timed

pytestmark = pytest.mark.integration

PAIRS = 7


async def test_overhead(tmp_path: Path) -> None:
    rows: list[dict[str, float]] = []
    async with server.serve_policy() as url:
        await bare(tmp_path / "warm", url, demo_task(0))
        await _sandboxed(tmp_path / "warm-run", url)
        for number in range(PAIRS):
            turns = [
                lambda n=number: bare(tmp_path / f"b{n}", url, demo_task(0)),
                lambda n=number: _sandboxed(tmp_path / f"r{n}", url),
            ]
            row: dict[str, float] = {}
            for turn in turns if number % 2 else reversed(turns):
                row |= await turn()
            rows.append(row)
    print()
    for name in ("bare_wall", "bare_cpu", "rollout_wall", "command_wall", "command_cpu"):
        _print(name + " (s)", [row[name] for row in rows])
    _print("rollout/bare wall", [row["rollout_wall"] / row["bare_wall"] for row in rows])
    _print("command/bare wall", [row["command_wall"] / row["bare_wall"] for row in rows])
    _print("command/bare CPU", [row["command_cpu"] / row["bare_cpu"] for row in rows])


def _print(name: str, values: list[float]) -> None:
    print(f"{name:<20} min {min(values):7.2f}  median {statistics.median(values):7.2f}  max {max(values):7.2f}")


async def _sandboxed(folder: Path, url: str) -> dict[str, float]:
    command = [sys.executable, "-I", "-m", "harness.cli", "eval", "babyvision", "--demo", "--limit", "1"]
    ends = ["--policy-base-url", url, "--policy-model", server.POLICY_MODEL, "--run", str(folder)]
    found = await timed("command", [*command, *ends], stderr=asyncio.subprocess.DEVNULL)
    run = RunFolder.open(folder)
    (done,) = run.dones()
    observed = run.rollout(done).observed
    return {**found, "rollout_wall": (observed.ended_ns - observed.started_ns) / 1e9}
