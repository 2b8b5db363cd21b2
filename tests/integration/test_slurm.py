"""A run on a real Slurm: what a node's death, a warning and a cancelled job leave is what a single process makes."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.benchmarks.demo.conversation import Conversation
from harness.benchmarks.demo.policy import Reply
from harness.store.runfolder import RunFolder
from harness.store.verify import verify
from tests.integration.gated import Gated, gated
from tests.integration.slurm_cluster import Cluster

pytestmark = pytest.mark.integration

Harness = Callable[..., Awaitable[Any]]
Submit = Callable[[Path], Awaitable[Any]]
KEY = "sk-a-key-that-no-script-holds"
# The demo's 12 puzzles fall to 8 of 10 shards; three of them run at a time.
SHARDS, SENT = 10, [0, 1, 2, 3, 5, 7, 8, 9]
# What becomes of some of them: two of the first three, and one of three rollouts that begins after them.
DEAD, CANCELLED, WARNED = 0, 1, 3
TIMEOUT, MINUTES = 1200, 25  # seconds of an attempt, so that Slurm warns so long before the limit


def says(_: Conversation) -> Reply:
    return Reply("It is \\boxed{something}.")


@pytest.fixture
async def policy() -> AsyncIterator[Gated]:
    async with gated("m", says) as endpoint:
        yield endpoint


@pytest.fixture
def cluster(short_folder: Path) -> Iterator[Cluster]:
    """Three nodes, each with room for one job of the site's size."""
    if not os.environ.get("HARNESS_SLURM"):
        pytest.skip("HARNESS_SLURM is not set: run these by `nix run .#tests`")
    folder = short_folder / "slurm"
    folder.mkdir()
    found = Cluster(Path(os.environ["HARNESS_SLURM"]), folder, nodes=3)
    try:
        found.start()
        yield found
    finally:
        found.stop()


@pytest.fixture
def submit(harness: Harness, cluster: Cluster, site: Path, settings: list[str]) -> Submit:
    """Submits what a run still lacks; gives what ``--json`` says."""

    async def call(run: Path) -> Any:
        words = ("--shards", str(SHARDS), "--slots", "3", "--config", str(site), "--run", str(run), "--json")
        done = await harness("slurm", "submit", "babyvision", *settings, *words, env=cluster.env)
        assert done.status == 0, done.said
        return done.summary

    return call


@pytest.fixture
def site(tmp_path: Path, short_folder: Path) -> Path:
    path = tmp_path / "site.toml"
    path.write_text(f'[slurm]\npartition = "main"\ncpus = 2\nmemory_mib = 3000\ntmp = "{short_folder}"\n')
    return path


@pytest.fixture
def settings(policy: Gated, tmp_path: Path) -> list[str]:
    """What a run of the demo with an endpoint of its own is given, however it is run."""
    key = tmp_path / "key"
    key.touch(0o600)
    key.write_text(KEY)
    endpoint = ["--policy-base-url", policy.url, "--policy-model", "m", "--policy-api-key-file", str(key)]
    return [
        "--demo",
        *endpoint,
        "--no-preflight",
        "--timeout",
        str(TIMEOUT),
        "--first-call",
        "600",
        "--memory-mib",
        "1024",
    ]


@pytest.mark.timeout(1200)
async def test_a_node_dies_a_job_is_warned_and_one_is_cancelled(
    harness: Harness, submit: Submit, cluster: Cluster, policy: Gated, site: Path, settings: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "R"
    first = await submit(path)
    assert (first["sent"], first["planned"], first["measured"]) == (SENT, 12, 0)
    await until(lambda: len(policy.tokens) == 3, "three rollouts under way")
    status = (await harness("slurm", "status", path, "--json", env=cluster.env)).summary
    assert status["shards"] == {"PENDING": 5, "RUNNING": 3}
    nodes = {one["shard"]: one["node"] for one in status["running"]}
    assert set(nodes) == {DEAD, CANCELLED, 2}

    cluster.kill_node(nodes[DEAD])
    cluster.command("scancel", f"{first['job']}_{CANCELLED}")
    await until(lambda: not in_queue(cluster, first["job"], CANCELLED), "the end of a cancelled job", 20)
    second = await submit(path)
    assert second["sent"] == [CANCELLED]
    await until(lambda: len(policy.tokens) == 4, "a rollout in place of the cancelled one")
    cluster.command("scontrol", "update", f"JobId={first['job']}_{WARNED}", f"TimeLimit={MINUTES}")
    log = Path(first["logs"]) / f"{first['job']}_{WARNED}.log"
    await until(lambda: "interrupted: finishing 1 sandbox" in log.read_text(), "Slurm's warning", 60)
    cluster.command("scontrol", "update", f"JobId={first['job']}_{WARNED}", f"TimeLimit={2 * MINUTES}")
    policy.gate.set()
    await until(lambda: not cluster.command("squeue", "--noheader").strip(), "the end of all jobs")

    logs = texts(first["logs"])
    starts = {number: logs[f"{first['job']}_{number}.log"].count("run folder:") for number in SENT}
    assert starts == {number: 2 if number in (DEAD, WARNED) else 1 for number in SENT}, logs
    assert [name for name, text in logs.items() if "is queued again" in text] == [f"{first['job']}_{WARNED}.log"]
    # Each submission has a job that sums up after its own array: whichever ran last has seen both.
    sums = (Path(sent["logs"]) / f"{sent['last_job']}.log" for sent in (first, second))
    summed = json.loads(max(sums, key=lambda log: log.stat().st_mtime_ns).read_text().splitlines()[-1])
    assert (summed["measured"], summed["planned"], summed["written"]) == (12, 12, 0)
    run = RunFolder.open(path)
    assert sorted(int(done.task) for done in run.dones()) == list(range(1, 13))
    assert verify(run) == []

    assert set(policy.tokens) == {f"Bearer {KEY}"}
    assert not [name for folder in (cluster.folder, path, Path(first["logs"])) for name in holding(KEY, folder)]
    assert KEY not in cluster.command("scontrol", "show", "job")

    alone = await harness("eval", "babyvision", *settings, "--jobs", "2", "--run", tmp_path / "R1", "--json")
    assert alone.status == 0, alone.said
    assert run.content_digest() == alone.summary["content_digest"] == summed["content_digest"]

    words = ("--nodes", f"{nodes[DEAD]},{nodes[2]}", "--run", path, "--config", site, "--json")
    examined = await harness("slurm", "preflight", *words, env=cluster.env)
    assert examined.status == 5, examined.said
    assert {one["node"]: one["fit"] for one in examined.summary["nodes"]} == {nodes[DEAD]: False, nodes[2]: True}
    assert f"{nodes[DEAD]}: doctor: Slurm says that it is down" in examined.said


async def until(holds: Callable[[], bool], what: str, seconds: float = 300) -> None:
    """Wait until something holds."""
    for _ in range(int(seconds / 0.3)):
        if holds():
            return
        await asyncio.sleep(0.3)
    raise AssertionError(f"{what}: not within {seconds:g} s")


def in_queue(cluster: Cluster, job: str, task: int) -> bool:
    """Whether a task of an array still waits or runs."""
    return f"{job}_{task}" in cluster.command("squeue", "--noheader", "--array", "--format=%i").split()


def texts(folder: str) -> dict[str, str]:
    """The files in a folder."""
    return {file.name: file.read_text() for file in Path(folder).iterdir()}


def holding(text: str, folder: Path) -> list[Path]:
    """The files below a folder that hold a text; munged's lock can't be read."""
    files = (path for path in folder.rglob("*") if path.is_file() and os.access(path, os.R_OK))
    return [path for path in files if text.encode() in path.read_bytes()]
