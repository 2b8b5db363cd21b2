"""What a sandboxed rollout costs beside bare OpenCode: the same scripted talk in turns, in the same minutes.

Not collected by default. Run it by name, on a machine that does nothing else:

    nix run .#tests -- tests/speed/overhead.py -s

``bare`` is OpenCode of the pinned rootfs as a plain process of the host. ``rollout`` is one attempt inside a run, from
its record: making the sandbox, the agent, evidence, removal. ``command`` is the whole of ``harness eval``: start of
Python, namespace, Podman's service, one attempt, grading, the record. CPU is that of each command and its children.
"""

import asyncio
import json
import os
import resource
import statistics
import sys
import time
from pathlib import Path

import pytest

from harness.agents.opencode import Settings, configuration
from harness.agents.opencode.environment import environment
from harness.benchmarks.babyvision.benchmark import BabyVision
from harness.benchmarks.demo import puzzles, server
from harness.store.runfolder import RunFolder

pytestmark = pytest.mark.integration

PAIRS = 7


async def test_overhead(tmp_path: Path) -> None:
    rows: list[dict[str, float]] = []
    async with server.serve_policy() as url:
        await _bare(tmp_path / "warm", url)
        await _sandboxed(tmp_path / "warm-run", url)
        for number in range(PAIRS):
            turns = [
                lambda n=number: _bare(tmp_path / f"b{n}", url),
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


async def _timed(name: str, command: list[str], **keywords: object) -> dict[str, float]:
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    process = await asyncio.create_subprocess_exec(*command, **keywords)  # type: ignore[arg-type]
    assert await process.wait() == 0
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - began
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {f"{name}_wall": wall, f"{name}_cpu": cpu}


async def _bare(folder: Path, url: str) -> dict[str, float]:
    """The first puzzle's talk by OpenCode as a plain process; its shell finds this Python as python3."""
    task = BabyVision.of("babyvision", puzzles.rows(1)).task("1", 600)
    rootfs = Path(os.environ["HARNESS_ROOTFS"], "root")
    for name in ("home", "work"):
        (folder / name).mkdir(parents=True)
    (image,) = task.images
    (folder / "work" / image.name).write_bytes(image.data)
    (folder / "prompt.txt").write_text(task.prompt)
    settings = Settings(server.CONTEXT, server.CONTEXT // 4)
    address = url.removeprefix("http://").removesuffix("/v1")
    config = json.loads(json.dumps(configuration(settings)))
    provider = config["provider"]["local"]
    provider["options"]["baseURL"] = f"http://{address}/v1"
    provider["models"]["vlm"]["id"] = server.POLICY_MODEL
    (folder / "opencode.json").write_text(json.dumps(config))
    env = {
        **environment(str(folder / "opencode.json"), settings.max_output, 2),
        "HOME": str(folder / "home"),
        "PATH": f"{Path(sys.executable).parent}:{rootfs}/opt/opencode/bin:{rootfs}/usr/local/bin:/usr/bin:/bin",
        "XDG_CONFIG_HOME": str(rootfs / "opt/opencode/xdg-config"),
    }
    command = [str(rootfs / "opt/opencode/bin/opencode"), "run", "--format", "json", "-m", "local/vlm"]
    with (folder / "prompt.txt").open() as prompt, (folder / "events.jsonl").open("w") as events:
        found = await _timed(
            "bare",
            [*command, "--title", "task", "--file", image.name],
            env=env,
            cwd=folder / "work",
            stdin=prompt,
            stdout=events,
        )
    assert "boxed" in (folder / "events.jsonl").read_text()
    return found


async def _sandboxed(folder: Path, url: str) -> dict[str, float]:
    command = [sys.executable, "-I", "-m", "harness.cli", "eval", "babyvision", "--demo", "--limit", "1"]
    ends = ["--policy-base-url", url, "--policy-model", server.POLICY_MODEL, "--run", str(folder)]
    found = await _timed("command", [*command, *ends], stderr=asyncio.subprocess.DEVNULL)
    run = RunFolder.open(folder)
    (done,) = run.dones()
    observed = run.rollout(done).observed
    return {**found, "rollout_wall": (observed.ended_ns - observed.started_ns) / 1e9}
