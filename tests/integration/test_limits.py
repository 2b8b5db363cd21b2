"""Limits of real sandboxes: who breaks them ends with his own outcome, and nobody beside him notices."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from harness.benchmarks.demo import policy, puzzles, server
from harness.benchmarks.demo.conversation import Conversation
from harness.benchmarks.demo.policy import Reply
from harness.sandbox import cgroup_entry
from harness.store.digests import digest
from harness.store.runfolder import RunFolder

pytestmark = pytest.mark.integration

Harness = Callable[..., Awaitable[Any]]

#: Takes all that a sandbox has: bytes, inodes, processes, and at last memory.
GREEDY = """
import os, time
for folder, size in (("/workspace", 1 << 20), ("/home", 1 << 20), ("/dev/shm", 1 << 20), ("/tmp", 0)):
    try:
        for number in range(60_000):
            with open(f"{folder}/{number}", "wb") as file:
                file.write(b"z" * size)
    except OSError:
        pass
try:
    while True:
        if os.fork() == 0:
            time.sleep(1000)
except OSError:
    pass
held = []
while True:
    held.append(b"m" * (16 << 20))
"""


def greedy_at_first(talk: Conversation) -> Reply:
    """The first puzzle's shell takes everything, all others are answered as ever."""
    (first,) = puzzles.rows(1, 1)
    if digest(first.image) not in map(digest, talk.pictures):
        return policy.reply(talk)
    return Reply("I take it all.", ("bash", {"command": f"python3 - <<'END'\n{GREEDY}\nEND", "description": "Takes"}))


async def records(
    harness: Harness, answer: Callable[[Conversation], Reply], tasks: str, folder: Path
) -> dict[str, Any]:
    """Plays puzzles, two at a time, with small limits; the record of each one."""
    async with server.serve("m", answer, []) as url:
        done = await harness(
            *("eval", "babyvision", "--demo", "--tasks", tasks, "--jobs", "2", "--no-preflight", "--run", folder),
            *("--policy-base-url", url, "--policy-model", "m", "--json"),
            *("--memory-mib", "1536", "--pids", "200", "--workdir-mib", "64", "--tmp-mib", "64"),
        )
    assert done.status == 0, done.said
    run = RunFolder.open(folder)
    return {done.task: run.rollout(done) for done in run.dones()}


async def test_who_takes_everything_hurts_no_neighbour(harness: Harness, tmp_path: Path) -> None:
    disturbed = await records(harness, greedy_at_first, "1,2", tmp_path / "disturbed")
    alone = await records(harness, policy.reply, "2", tmp_path / "alone")
    assert disturbed["1"].content.outcome.kind == "out-of-memory"
    assert disturbed["1"].observed.how == "out-of-memory"
    assert set(disturbed["1"].observed.full) >= {"/workspace", "/home", "/tmp", "/dev/shm"}
    assert disturbed["2"].content.digest == alone["2"].content.digest
    for record in (*disturbed.values(), *alone.values()):
        assert {"init", "ids"} <= set(record.observed.dead)
        assert record.observed.limits["memory"] in ("cgroup", "watchdog")


async def test_a_machine_that_cannot_hold_every_limit_is_refused_where_that_is_asked_for(
    harness: Harness, tmp_path: Path
) -> None:
    if cgroup_entry.unified():
        pytest.skip("this machine has cgroup v2: tests/vm/show.sh looks there")
    arguments = ("eval", "babyvision", "--demo", "--limit", "1", "--run", tmp_path / "R")
    done = await harness(*arguments, env={"HARNESS_REQUIRE_LIMITS": "true"})
    assert done.status == 4
    assert "cpus (nothing holds it), memory (only a watchdog" in done.said
    assert "no cgroup v2" in done.said
    assert list((tmp_path / "R").glob("attempts/*")) == []
