"""A demo run done again from its record with every endpoint down: folder, archive, and after a change."""

import json
import socket
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from harness.benchmarks.babyvision.asking import INSTRUCTION
from harness.store.runfolder import RunFolder
from harness.store.verify import verify

pytestmark = pytest.mark.integration

# Of these demo puzzles the scripted policy solves the first, errs on the second, and says nothing to the third.
TASKS = "1,4,7"


@pytest.fixture
def down() -> dict[str, str]:
    """The environment of somebody whose endpoints are gone: nothing listens there."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    return {"POLICY_BASE_URL": url, "POLICY_MODEL": "m", "JUDGE_BASE_URL": url, "HARNESS_DATA_DIR": "/nonexistent"}


@pytest.fixture
async def record(harness: Callable[..., Awaitable[Any]], tmp_path: Path) -> tuple[Path, Mapping[str, Any]]:
    done = await harness(
        *("eval", "babyvision", "--demo", "--tasks", TASKS, "--jobs", "2", "--run", tmp_path / "R", "--json")
    )
    assert done.status == 0, done.said
    return tmp_path / "R", done.summary


@pytest.fixture
def other_words(tmp_path: Path) -> Path:
    """BabyVision's instruction with one word changed."""
    path = tmp_path / "words.txt"
    path.write_text(INSTRUCTION.replace("picture", "image", 1))
    return path


def digests(path: Path) -> list[tuple[str, int, str]]:
    return sorted((done.task, done.repeat, done.content) for done in RunFolder.open(path).dones())


def scores(path: Path, scorer: str) -> dict[str, Any]:
    return {task: score for task, _, score in RunFolder.open(path).grades.scores(scorer)}


def same(there: Path, summary: Mapping[str, Any], now: Path, done: Any) -> None:
    """That a run is the other one again, in all that doesn't belong to a place and time."""
    assert done.status == 0, done.said
    assert (now / "manifest.json").read_bytes() == (there / "manifest.json").read_bytes()
    assert digests(now) == digests(there)
    assert scores(now, done.summary["scorer"]) == scores(there, summary["scorer"])
    for name in ("manifest", "content_digest", "scorer", "reward", "outcomes"):
        assert done.summary[name] == summary[name], name
    assert done.summary["not_recorded"] == []
    assert verify(RunFolder.open(now)) == []


async def test_a_run_is_done_again_without_an_endpoint(
    harness: Callable[..., Awaitable[Any]],
    record: tuple[Path, Mapping[str, Any]],
    down: dict[str, str],
    tmp_path: Path,
) -> None:
    there, summary = record
    # The record has the tasks and their images as well: neither --demo nor data is needed.
    again = tmp_path / "again"
    words = ("--policy", f"replay:{there}", "--jobs", "2", "--json", "--run")
    same(there, summary, again, await harness("eval", "babyvision", *words, again, env=down))
    (tmp_path / "again").rename(tmp_path / "first")

    archived = await harness("archive", tmp_path / "first", tmp_path / "run.oci")
    assert archived.status == 0, archived.said
    from_archive = ("eval", "babyvision", "--demo", f"++policy=replay:{tmp_path / 'run.oci'}", "--jobs", "2", "--json")
    same(there, summary, again, await harness(*from_archive, "--run", again, env=down))


async def test_after_one_changed_word_the_first_request_that_differs_is_named(
    harness: Callable[..., Awaitable[Any]],
    record: tuple[Path, Mapping[str, Any]],
    down: dict[str, str],
    other_words: Path,
    tmp_path: Path,
) -> None:
    there, _ = record
    done = await harness(
        *("eval", "babyvision", "--policy", f"replay:{there}", "--instruction", other_words, "--jobs", "2"),
        *("--run", tmp_path / "other", "--json"),
        env=down,
    )
    assert done.status == 3, done.said
    assert (done.summary["measured"], done.summary["masked_outcomes"]) == (0, {"not-recorded": 3})
    # Trying again can't help.
    assert done.summary["attempts"] == 3
    assert len(done.summary["not_recorded"]) == 3
    for reason in done.summary["not_recorded"]:
        assert "Request 0 of task " in reason
        assert (
            "It departs from request 0 there at message 1 ('user'), messages[1].content[3].text, character " in reason
        )
        assert "You get a picture and a question" in reason
        assert "You get a image and a question" in reason
        assert reason in done.said
    run = RunFolder.open(tmp_path / "other")
    attempts = [run.read_attempt(task, 0, name) for task in TASKS.split(",") for name in run.attempt_names(task, 0)]
    assert sorted(str(attempt.observed.reason) for attempt in attempts) == sorted(done.summary["not_recorded"])
    assert {attempt.content.outcome.kind for attempt in attempts} == {"not-recorded"}


async def test_a_policy_that_is_no_record_is_a_usage_error(
    harness: Callable[..., Awaitable[Any]], tmp_path: Path
) -> None:
    done = await harness("eval", "babyvision", "--demo", "--policy", "gpt-4o")
    assert done.status == 2
    assert "replay:PATH" in done.said
    (tmp_path / "empty").mkdir()
    done = await harness("eval", "babyvision", "--demo", "--policy", f"replay:{tmp_path / 'empty'}")
    assert done.status == 2, done.said


async def test_opencode_works_with_an_endpoint_that_returns_tokens(
    harness: Callable[..., Awaitable[Any]], only_rollout: Callable[[Path], Any], tmp_path: Path
) -> None:
    from tests.integration.tokens import serve

    asked: list[dict[str, Any]] = []
    async with serve(asked) as url:
        words = ("--policy-base-url", url, "--policy-model", "m", "--context", "65536", "--capture-tokens")
        done = await harness(
            *("eval", "babyvision", "--demo", "--limit", "1", "--json", "--run", tmp_path / "R"), *words
        )
    assert done.status == 0, done.said
    assert done.summary["flags"] == {}
    assert all(body["return_token_ids"] and body["logprobs"] for body in asked)
    run, record = only_rollout(tmp_path / "R")
    assert run.manifest.sampling == {"logprobs": True, "return_token_ids": True}

    from harness.gateway.answer import read
    from harness.store.replay import Replay

    replay = Replay(record, run.blobs)
    answers = [read(replay.answer(index)) for index in record.content.chain]
    assert all(answer.has_tokens for answer in answers)
    assert len(answers) == 4
    for index in record.content.chain:
        # what the sandbox sent knows nothing of it
        assert not {"logprobs", "return_token_ids"} & json.loads(replay.request(index)).keys()
