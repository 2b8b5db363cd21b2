"""Bare OpenCode: a demo puzzle's talk by OpenCode of the pinned rootfs as a plain process of the host."""

import asyncio
import json
import os
import resource
import sys
import time
from pathlib import Path

from harness.agents.opencode import Settings, configuration
from harness.agents.opencode.environment import environment
from harness.agents.task import Task, neutral_names
from harness.benchmarks.babyvision import asking
from harness.benchmarks.demo import puzzles, server


async def timed(name: str, command: list[str], **keywords: object) -> dict[str, float]:
    """Wall and CPU seconds of a command and all children that it waited for; it must end with 0."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    process = await asyncio.create_subprocess_exec(*command, **keywords)  # type: ignore[arg-type]
    assert await process.wait() == 0
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - began
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {f"{name}_wall": wall, f"{name}_cpu": cpu}


def demo_task(number: int) -> Task:
    """The demo's puzzle of this number, from 0."""
    row = puzzles.rows(1, number + 1)[number]
    return Task(str(number + 1), asking.prompt(row, asking.INSTRUCTION), neutral_names([row.image]), 600)


async def bare(folder: Path, url: str, task: Task) -> dict[str, float]:
    """The task's talk; OpenCode's shell finds this Python as python3."""
    rootfs = Path(os.environ["HARNESS_ROOTFS"], "root")
    for name in ("home", "work"):
        (folder / name).mkdir(parents=True)
    (image,) = task.images
    (folder / "work" / image.name).write_bytes(image.data)
    (folder / "prompt.txt").write_text(task.prompt)
    settings = Settings(server.CONTEXT, server.CONTEXT // 4)
    config = json.loads(json.dumps(configuration(settings)))
    provider = config["provider"]["local"]
    provider["options"]["baseURL"] = url
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
        found = await timed(
            "bare",
            [*command, "--title", "task", "--file", image.name],
            env=env,
            cwd=folder / "work",
            stdin=prompt,
            stdout=events,
        )
    assert "step_finish" in (folder / "events.jsonl").read_text()
    return found
