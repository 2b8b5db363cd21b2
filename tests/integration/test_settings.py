"""Settings, instruction file and preflight through the real command line."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from harness.benchmarks.demo import server
from harness.run.endpoints import preflight
from harness.store.digests import digest
from tests.gateway.scripted import Act, Endpoint, fails, says

pytestmark = pytest.mark.integration

Harness = Callable[..., Awaitable[Any]]
DEMO = ("eval", "babyvision", "--demo", "--limit", "1", "--json")


async def test_a_file_pairs_and_an_instruction_make_a_run_and_preflight_is_in_no_record(
    harness: Harness, only_rollout: Callable[[Path], Any], tmp_path: Path
) -> None:
    (tmp_path / "ask.txt").write_text("Look twice.\n")
    received: list[server.Received] = []
    async with server.serve_policy(received) as url:
        (tmp_path / "s.toml").write_text(
            f'instruction = "{tmp_path}/ask.txt"\nmax_calls = 20\n[policy]\nbase_url = "{url}"\n[sampling]\nseed = 7\n'
        )
        done = await harness(
            *DEMO,
            *("--config", tmp_path / "s.toml", f"++policy_model_name={server.POLICY_MODEL}"),
            f"++output_jsonl_fpath={tmp_path}/R.jsonl",
        )
    assert done.status == 0, done.said
    assert "context: 131072 tokens (max_model_len)" in done.said
    run, record = only_rollout(tmp_path / "R")
    assert run.manifest.prompts["instruction"] == digest(b"Look twice.")
    assert run.blobs.get(record.content.prompt).startswith(b"Look twice.\n\n")
    assert (run.manifest.sampling, run.manifest.budgets["max_calls"]) == ({"seed": 7}, 20)
    assert received[0].pictures == (digest(preflight.picture()),)
    assert len(record.content.calls) == len(received) - 1
    assert record.content.flags == ()


@pytest.mark.parametrize(
    ("act", "status", "words"),
    [
        (fails(400, "this model takes no pictures"), 2, "this model takes no pictures"),
        (fails(503, "still loading"), 1, "still loading"),
    ],
)
async def test_a_policy_that_fails_preflight_ends_the_run_before_it_begins(
    harness: Harness, tmp_path: Path, act: Act, status: int, words: str
) -> None:
    async with Endpoint([act]) as endpoint:
        done = await harness(
            *DEMO,
            *("--run", tmp_path / "R", "--policy-base-url", endpoint.url, "--policy-model", "m"),
            *("--context", "9000", "--upstream-attempts", "1"),
        )
    assert (done.status, done.summary) == (status, None)
    assert words in done.said
    assert "Traceback" not in done.said
    assert not (tmp_path / "R" / "attempts").exists()


async def test_a_judge_that_gives_no_verdict_is_refused(harness: Harness, tmp_path: Path) -> None:
    async with Endpoint([says("They are equal.")]) as endpoint:
        done = await harness(*DEMO, "--run", tmp_path / "R", "--judge-base-url", endpoint.url)
    assert (done.status, "can't grade this run" in done.said) == (2, True), done.said
    assert not (tmp_path / "R" / "attempts").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--instruction", "none.txt"), "none.txt can't be read"),
        (("--instruction", "/dev/null"), "no plain file"),
        (("++policy_api_key=sk-marked-secret",), "policy_api_key can't be given here"),
        (("--opencode-model-id", "devstral"), "choose another id"),
    ],
)
async def test_what_is_wrong_is_said_in_words(
    harness: Harness, tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    done = await harness(*DEMO, "--run", tmp_path / "R", *arguments)
    assert (done.status, words in done.said) == (2, True), done.said
    assert "marked" not in done.said
    assert "Traceback" not in done.said
