"""A full-size run: 388 synthetic tasks, four sandboxes at a time, beside what OpenCode alone would take.

Not collected by default. Run it by name, on a machine that does nothing else (about half an hour on two cores):

    nix run .#tests -- tests/speed/full_size.py -s

HARNESS_FULL_SIZE=8 plays only eight tasks. The policy calls one tool and answers, at once; it and the demo's judge are
in a process of their own, so that their CPU is not the harness's. Bare OpenCode plays some of the same puzzles before
and after the run, as many at a time: its CPU seconds bound what any harness could do here, 60 * cores / seconds in
rollouts a minute. (Alone on the machine it takes fewer, since processors that share a core slow each other down.)
"""

import asyncio
import contextlib
import json
import os
import resource
import statistics
import sys
import time
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from harness.benchmarks.demo import server
from harness.errors import EXIT_COVERAGE, EXIT_OK
from tests.speed.bare import bare, demo_task
from tests.speed.processes import Watch, idle_seconds, watched

pytestmark = [pytest.mark.integration, pytest.mark.timeout(4 * 3600)]

TASKS = int(os.environ.get("HARNESS_FULL_SIZE", "388"))
JOBS = 4
BARE = min(12, TASKS)  # as many as there are different puzzles in a row

_SERVE = f"""
import asyncio, sys
from harness.benchmarks.demo import server
from harness.benchmarks.demo.policy import Reply

def instant(talk):
    if talk.said:
        return Reply("It is \\\\boxed{{A}}.")
    return Reply("I look.", ("bash", {{"command": "ls -l", "description": "Lists the folder"}}))

async def main():
    async with server.serve("{server.POLICY_MODEL}", instant, []) as policy, server.serve_judge() as judge:
        print(policy, judge, flush=True)
        await asyncio.to_thread(sys.stdin.read)

asyncio.run(main())
"""


@contextlib.asynccontextmanager
async def endpoints() -> AsyncIterator[tuple[str, str]]:
    """The addresses of policy and judge, served by another process."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", _SERVE, stdin=pipe, stdout=pipe)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        policy, judge = (await process.stdout.readline()).decode().split()
        yield policy, judge
    finally:
        process.stdin.close()
        await process.wait()


async def test_full_size(tmp_path: Path) -> None:
    async with endpoints() as (policy, judge):
        await bare(tmp_path / "warm", policy, demo_task(0))
        alone = (await bare(tmp_path / "alone", policy, demo_task(0)))["bare_cpu"]
        before = await _bare(tmp_path / "before", policy)
        run = await _run(tmp_path / "run", policy, judge)
        after = await _bare(tmp_path / "after", policy)
    _report(run, alone, [before, after])


async def _bare(folder: Path, policy: str) -> tuple[float, float]:
    """Bare OpenCode, as many at a time as the run has sandboxes: CPU seconds of one, and how many end in a minute."""
    began, used = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    gate = asyncio.Semaphore(JOBS)

    async def one(number: int) -> None:
        async with gate:
            await bare(folder / str(number), policy, demo_task(number))

    await asyncio.gather(*map(one, range(BARE)))
    wall, ended = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = ended.ru_utime + ended.ru_stime - used.ru_utime - used.ru_stime
    return cpu / BARE, 60 * BARE / wall


async def _run(folder: Path, policy: str, judge: str) -> Mapping[str, Any]:
    """The whole command: the object that it prints, wall and CPU seconds, and what was seen of its processes."""
    command = [sys.executable, "-I", "-m", "harness.cli", "eval", "babyvision", "--demo", "--json"]
    size = ["--demo-puzzles", str(TASKS), "--jobs", str(JOBS), "--run", str(folder)]
    ends = ["--policy-base-url", policy, "--policy-model", server.POLICY_MODEL]
    ends += ["--judge-base-url", judge, "--judge-model", server.JUDGE_MODEL]
    began, used, idle = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN), idle_seconds()
    process = await asyncio.create_subprocess_exec(*command, *size, *ends, stdout=asyncio.subprocess.PIPE)
    async with watched(process.pid) as watch:
        out, _ = await process.communicate()
    wall, ended = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    assert process.returncode in (EXIT_OK, EXIT_COVERAGE)
    cpu = ended.ru_utime + ended.ru_stime - used.ru_utime - used.ru_stime
    return {"summary": json.loads(out), "wall": wall, "cpu": cpu, "idle": idle_seconds() - idle, "watch": watch}


def _report(run: Mapping[str, Any], alone: float, together: list[tuple[float, float]]) -> None:
    watch: Watch = run["watch"]
    seen = watch.seconds()
    cores = len(os.sched_getaffinity(0))
    rate = 60 * run["summary"]["measured"] / run["wall"]
    bare_cpu = statistics.mean(cpu for cpu, _ in together)
    bare_rate = statistics.mean(rate for _, rate in together)
    bound = 60 * cores / bare_cpu
    print(f"\n{TASKS} tasks, {JOBS} jobs, {cores} cores: {run['summary']['measured']} measured")
    print(f"wall {run['wall']:.1f} s; CPU {run['cpu']:.1f} s, {run['cpu'] / TASKS:.2f} s a rollout, of which")
    for kind, seconds in seen.items():
        print(f"  {kind:<20} {seconds:9.1f} s  {seconds / TASKS:7.2f} s a rollout  peak {watch.memory[kind]:5d} MiB")
    rest = run["cpu"] - sum(seen.values())
    print(f"  {'too short to be seen':<20} {rest:9.1f} s  {rest / TASKS:7.2f} s a rollout")
    others = run["wall"] * cores - run["cpu"] - run["idle"]
    print(f"  beside it: {run['idle']:.1f} s idle, {others:.1f} s of others (policy, judge, this test, the machine)")
    print(f"bare OpenCode, CPU a rollout: {bare_cpu:.2f} s with {JOBS} at a time (before, after: {_shown(together)})")
    print(f"  {alone:.2f} s where it is alone")
    print(f"rollouts a minute: {rate:.2f}; bound by bare OpenCode's CPU: {bound:.2f}, ratio {rate / bound:.2f}")
    print(f"  bare OpenCode itself: {bare_rate:.2f}, ratio {rate / bare_rate:.2f}")
    print(f"peak memory of the harness's Python: {watch.memory['harness']} MiB")
    assert run["summary"]["measured"] == TASKS
    assert watch.memory["harness"] < 200


def _shown(together: list[tuple[float, float]]) -> str:
    return ", ".join(f"{cpu:.2f} s" for cpu, _ in together)
