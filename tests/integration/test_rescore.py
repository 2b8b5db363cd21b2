"""A real run is scored again: from a copy of its folder alone, with no network, and by a judge that failed first."""

import asyncio
import json
import shutil
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from harness.store.runfolder import RunFolder
from harness.store.verify import verify

pytestmark = pytest.mark.integration

# Which the scripted policy solves, gets wrong, and says nothing about (`harness.benchmarks.demo.puzzles`).
TASKS = "1,5,8"

Harness = Callable[..., Awaitable[Any]]

# Goes on as another command in a network namespace of its own, in which not even loopback is up.
NO_NETWORK = """
import ctypes, os, socket, sys
from pathlib import Path
uid, gid = os.getuid(), os.getgid()
libc = ctypes.CDLL(None, use_errno=True)
assert libc.unshare(0x10000000 | 0x40000000) == 0, os.strerror(ctypes.get_errno())  # CLONE_NEWUSER, CLONE_NEWNET
for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
    Path("/proc/self", name).write_text(text)
try:
    socket.create_connection(("127.0.0.1", 9), 1)
except OSError as error:
    assert error.errno == 101, error  # ENETUNREACH
os.execve(sys.executable, [sys.executable, *sys.argv[1:]], {})
"""


async def cut_off(*arguments: str | Path) -> tuple[int, Any, str]:
    """`harness rescore` without a network or an environment: exit status, its object, and what it said."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-c", NO_NETWORK, "-I", "-m", "harness.cli", "rescore", "--json"),
        *map(str, arguments),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode is not None
    return process.returncode, json.loads(out) if out.strip() else None, err.decode()


def files(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


async def test_a_copy_scores_to_the_same_bytes_with_the_network_cut(harness: Harness, tmp_path: Path) -> None:
    played = tmp_path / "R"
    done = await harness("eval", "babyvision", "--demo", "--tasks", TASKS, "--jobs", "2", "--run", played, "--json")
    assert (done.status, done.summary["measured"]) == (0, 3), done.said
    copy = Path(shutil.copytree(played, tmp_path / "C"))
    shutil.rmtree(copy / "scores")
    (copy / "summary.json").unlink()

    status, report, said = await cut_off(copy)
    assert (status, report["written"], report["asked"]) == (0, 3, 0), said
    assert files(copy) == files(played)
    assert (await cut_off(copy, "--check"))[:2] == (
        0,
        {"run": str(copy), "scorer": done.summary["scorer"], "scores": 3, "differences": []},
    )
    await _damage_is_found(copy, done.summary["scorer"])
    assert files(copy) == files(played)
    await _another_judge_moves_what_was_judged(copy)
    await _all_is_asked_anew(harness, copy)
    # Whatever was done, the run's own scorer gives what it gave.
    status, report, said = await cut_off(copy, "--scorer", done.summary["scorer"])
    assert status == 0, said
    assert {path: data for path, data in files(copy).items() if path in files(played)} == files(played)
    assert verify(RunFolder.open(copy)) == []


async def _damage_is_found(copy: Path, scorer: str) -> None:
    score = copy / "scores" / scorer / "5" / "0.json"
    reply = next((copy / "judge").rglob("0.json"))
    for path in (score, reply):
        kept = path.read_bytes()
        path.write_bytes(kept.replace(b"e", b"f", 1) if path == reply else kept + b"\n")
        status, _, said = await cut_off(copy, "--check")
        assert (status, str(path) in said) == (5, True), said
        path.write_bytes(kept)
    score.rename(score.with_name("1.json"))
    status, report, said = await cut_off(copy, "--check")
    name = str(score.relative_to(copy))
    assert [(found["path"], found["what"]) for found in report["differences"]] == [
        (name, "missing"),
        (name.replace("0.json", "1.json"), "extra"),
    ]
    assert (status, f"{score} is missing" in said) == (5, True)
    score.with_name("1.json").rename(score)


async def _another_judge_moves_what_was_judged(copy: Path) -> None:
    status, report, said = await cut_off(copy, "--judge-temperature", "0.5")
    assert (status, report["masked_outcomes"]) == (3, {"judge_failed": 2}), said
    moved = {row["task"]: (row["old"]["verdict"], row["new"]["reward"]) for row in report["moved"]["rows"]}
    assert moved == {"1": ("equivalent", None), "5": ("different", None)}
    assert (await cut_off(copy, "--check"))[0] == 0
    status, report, said = await cut_off(copy, "--scorer", report["scorer_before"])
    assert (status, len(report["moved"]["rows"])) == (0, 2), said


async def _all_is_asked_anew(harness: Harness, copy: Path) -> None:
    """By the demo's scripted judge, which is served meanwhile."""
    done = await harness("rescore", copy, "--judge", "live", "--judge-repeats", "2", "--json")
    assert (done.status, done.summary["judging"], done.summary["asked"]) == (0, 1, 4), done.said
    assert (done.summary["judge_repeats"]["agreement"], done.summary["judge_repeats"]["flips"]) == (1.0, 0)
    live = files(copy)
    shutil.rmtree(copy / "scores" / done.summary["scorer"])
    assert (await cut_off(copy))[0] == 0
    assert files(copy) == live


@asynccontextmanager
async def failing_judge(bad: set[str], asked: list[str]) -> AsyncIterator[str]:
    """A judge that is out of order for questions with one of these words, and else finds all answers equivalent."""

    async def handle(request: web.Request) -> web.Response:
        material = (await request.json())["messages"][1]["content"]
        asked.append(material)
        if any(word in material for word in bad):
            return web.Response(status=500)
        text = json.dumps({"verdict": "equivalent", "reason": "as told"})
        choice: Mapping[str, Any] = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        return web.json_response({"id": "1", "object": "chat.completion", "created": 1, "choices": [choice]})

    app = web.Application()
    app.router.add_post("/v1/chat/completions", handle)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    await runner.cleanup()


async def test_a_judge_that_failed_is_asked_about_these_rollouts_alone(harness: Harness, tmp_path: Path) -> None:
    path, asked, bad = tmp_path / "R", list[str](), set[str]()
    async with failing_judge(bad, asked) as url:
        ends = ("--judge-base-url", url, "--judge-model", "m", "--judge-attempts", "1", "--no-preflight")
        run = ("eval", "babyvision", "--demo", "--limit", "3", "--jobs", "2", "--run", path, "--json")
        bad.add("question")  # each request holds the word: all fail
        done = await harness(*run, *ends)
        assert (done.status, done.summary["masked_outcomes"]) == (3, {"judge_failed": 3}), done.said
        questions = list(asked)
        assert len(questions) == 3

        # For one of them it goes on to fail.
        bad.clear()
        bad.add(questions[0].split("\n")[1])
        done = await harness("rescore", path, "--judge", "failed", "--json", *ends[:2], *ends[4:])
        assert (done.status, done.summary["asked"], done.summary["masked"]) == (3, 3, 1), done.said
        assert done.summary["moved"]["counts"] == {"masked -> 1 (equivalent)": 2}

        bad.clear()
        del asked[:]
        done = await harness("rescore", path, "--judge", "failed", "--json", *ends[:2], *ends[4:])
        assert (done.status, done.summary["asked"], done.summary["reward"]) == (0, 1, 1.0), done.said
        assert asked == [questions[0]]
    assert (await cut_off(path, "--check"))[0] == 0
