"""Preflight: what it sends, and what a refusal, an outage and an odd answer come to."""

import json
from typing import Any

import pytest

from harness.benchmarks.demo import server
from harness.errors import UpstreamError, UsageError
from harness.gateway import Backoff, GatewaySettings, Policy, Secret
from harness.grading.judge import JudgeEndpoint
from harness.grading.prompt import JudgeSettings
from harness.run.endpoints import preflight
from harness.run.settings.recorded import CAPTURE
from tests.gateway.scripted import DONE, Act, Endpoint, breaks_off, chunk, fails, hangs, says, sends

KEY = "sk-marked-secret-0123456789"
SETTINGS = GatewaySettings(attempts=2, backoff=Backoff(first=0.01), stall=0.5)


def policy_at(url: str, **more: Any) -> Policy:
    given: dict[str, Any] = {"model": "m", "api_key": None, "sampling": {}, "max_output": 900, "context": 8000}
    return Policy(base_url=url, **{**given, **more})


async def asked(*acts: Act, **sampling: Any) -> tuple[list[Any], list[str]]:
    """The requests that an endpoint got, and what was said."""
    said: list[str] = []
    async with Endpoint(acts) as endpoint:
        await preflight.policy(policy_at(endpoint.url, api_key=Secret(KEY), sampling=sampling), SETTINGS, said.append)
    return [(one.headers, one.body) for one in endpoint.asked], said


async def test_the_policy_is_asked_as_an_attempt_asks() -> None:
    ((headers, body),), said = await asked(says("Red."), temperature=0.5)
    assert said == []
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert (body["model"], body["stream"], body["max_tokens"], body["temperature"]) == ("m", True, 900, 0.5)
    assert [tool["type"] for tool in body["tools"]] == ["function"]
    picture, question = body["messages"][-1]["content"]
    assert picture["image_url"]["url"].startswith("data:image/png;base64,")
    assert question["type"] == "text"


@pytest.mark.parametrize(
    ("status", "words", "hint"),
    [
        (
            400,
            '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
            "vLLM: start the server with --enable-auto-tool-choice --tool-call-parser NAME",
        ),
        (400, "At most 0 image(s) may be provided in one request.", "--limit-mm-per-prompt"),
        (400, "m is not a multimodal model", "a model that reads pictures"),
        (
            400,
            "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead.",
            "--max-tokens-field max_completion_tokens",
        ),
        (400, "max_tokens is too large: 900. This model supports at most 100 completion tokens", "--max-output"),
        (400, "Unsupported value: 'temperature' does not support 0.5 with this model.", "sampling"),
        (404, "The model `m` does not exist.", "Check policy_model"),
        (401, "Incorrect API key provided", "POLICY_API_KEY"),
        (400, "something that nobody has seen before", "something that nobody has seen before"),
    ],
)
async def test_a_refusal_is_said_in_the_endpoints_words_with_what_helps(status: int, words: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        await asked(fails(status, f"{words} {KEY} {'x' * 5000}"))
    text = str(caught.value)
    assert words in text
    assert hint in text
    assert KEY not in text
    assert len(text) < 1000


@pytest.mark.parametrize("act", [fails(503, "busy"), fails(429, "slow down"), breaks_off(b""), hangs()])
async def test_an_outage_is_none_of_the_users_doing(act: Act) -> None:
    with pytest.raises(UpstreamError, match="gave no answer to a small picture"):
        await asked(act)


async def test_what_passes_is_tried_again() -> None:
    requests, _ = await asked(fails(503, "busy"), says("red"))
    assert len(requests) == 2


async def test_an_answer_that_takes_long_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preflight, "ANSWER", 0.1)
    requests, said = await asked(hangs(chunk({"content": "Let me think"})))
    assert (len(requests), said) == (1, [])


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("[{'type': 'text', 'text': 'What colour'}] is what you sent.", "list of parts"),
        ("I can't see any picture.", "Does it see it?"),
    ],
)
async def test_a_policy_that_does_not_see_pictures_is_warned_of(text: str, warning: str) -> None:
    _, (said,) = await asked(says(text))
    assert warning in said


def with_tokens(ids: list[int], logprobs: list[float], prompt: list[int], count: int) -> Act:
    content = [{"token": "x", "logprob": logprob, "bytes": None, "top_logprobs": []} for logprob in logprobs]
    choice = {"index": 0, "delta": {"content": "Red."}, "token_ids": ids, "logprobs": {"content": content}}
    first = {"id": "up-1", "choices": [{**choice, "finish_reason": "stop"}], "prompt_token_ids": prompt}
    usage = {"id": "up-1", "choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": count}}
    return sends(b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in (first, usage)) + DONE)


async def test_tokens_that_are_asked_for_must_come() -> None:
    ((_, body),), said = await asked(with_tokens([5, 6], [-1.0, -2.0], [1, 2, 3], 2), **CAPTURE)
    assert said == []
    assert (body["logprobs"], body["return_token_ids"]) == (True, True)


@pytest.mark.parametrize(
    ("act", "came"),
    [
        (
            says("Red."),
            "0 token ids of the prompt, 0 token ids and 0 log-probabilities of the answer, and a count of 5",
        ),
        (with_tokens([5, 6], [-1.0], [1], 2), "1 token ids of the prompt, 2 token ids and 1 log-probabilities"),
        (with_tokens([5], [-1.0], [1], 2), "1 token ids and 1 log-probabilities of the answer, and a count of 2"),
        (with_tokens([5], [-1.0], [], 1), "0 token ids of the prompt"),
    ],
)
async def test_an_endpoint_without_them_is_refused(act: Act, came: str) -> None:
    with pytest.raises(UsageError, match=came):
        await asked(act, **CAPTURE)


def completion(text: str) -> Act:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return sends(json.dumps({"id": "c", "choices": [choice]}).encode(), kind="application/json")


def verdict(word: str) -> Act:
    return completion(json.dumps({"verdict": word, "reason": "as told"}))


async def judged(*acts: Act) -> list[Any]:
    async with Endpoint(acts) as endpoint:
        ends = JudgeEndpoint(endpoint.url, Secret(KEY), timeout=0.5, retries=0, concurrency=1)
        await preflight.judge(ends, JudgeSettings(model="j"))
    return [one.body for one in endpoint.asked]


async def test_the_judge_compares_an_equal_and_another_answer() -> None:
    bodies = await judged(verdict("equivalent"), verdict("different"))
    assert [(body["model"], body["temperature"], body["max_tokens"]) for body in bodies] == [("j", 0, 1024)] * 2


@pytest.mark.parametrize(
    ("acts", "reason"),
    [
        ([verdict("different")], "is 4 'different'"),
        ([verdict("equivalent")], "answer 5 .* 'equivalent'"),
        ([completion("They are equal, I think.")], "gave no verdict.*They are equal, I think"),
        ([sends(b"<html>")], "gave no verdict|gave no reply"),
        ([fails(404, "no such model")], "no such model.*Check judge_model"),
        ([fails(401, "who are you")], "JUDGE_API_KEY"),
        ([fails(400, "Unsupported parameter: 'max_tokens'")], "--judge-max-tokens"),
    ],
)
async def test_a_judge_that_can_not_grade_is_refused(acts: list[Act], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        await judged(*acts)


@pytest.mark.parametrize("act", [fails(503, "busy"), fails(429, "slow down"), breaks_off(b""), hangs()])
async def test_a_judge_that_is_not_there(act: Act) -> None:
    with pytest.raises(UpstreamError, match="The judge 'j' can't grade this run"):
        await judged(act)


async def test_the_demos_policy_and_judge_pass() -> None:
    said: list[str] = []
    async with server.serve_policy() as policy, server.serve_judge() as judge:
        await preflight.policy(policy_at(policy, model=server.POLICY_MODEL), SETTINGS, said.append)
        await preflight.judge(JudgeEndpoint(judge, None), JudgeSettings(model=server.JUDGE_MODEL))
    assert said == []
