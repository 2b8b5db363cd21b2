import base64
import json
from typing import Any

import aiohttp
import pytest

from harness.benchmarks.demo.puzzles import rows
from harness.benchmarks.demo.server import CONTEXT, POLICY_MODEL, Received, serve_policy
from harness.store.digests import digest


async def post(base_url: str, body: bytes) -> tuple[int, str, bytes]:
    async with aiohttp.ClientSession() as session, session.post(f"{base_url}/chat/completions", data=body) as response:
        return response.status, response.content_type, await response.read()


PUZZLE = rows(seed=1, count=1)[0]


def request(**fields: Any) -> bytes:
    picture = {"url": "data:image/png;base64," + base64.b64encode(PUZZLE.image).decode()}
    content = [{"type": "image_url", "image_url": picture}, {"type": "text", "text": PUZZLE.question}]
    return json.dumps({"model": POLICY_MODEL, "messages": [{"role": "user", "content": content}], **fields}).encode()


def chunks(stream: bytes) -> list[dict[str, Any]]:
    events = stream.decode().split("\n\n")
    assert events[-2:] == ["data: [DONE]", ""]
    return [json.loads(event.removeprefix("data: ")) for event in events[:-2]]


async def test_a_stream_and_a_whole_answer_say_the_same() -> None:
    async with serve_policy() as base_url:
        _, kind, streamed = await post(base_url, request(stream=True))
        _, _, whole = await post(base_url, request())
    assert kind == "text/event-stream"
    pieces = chunks(streamed)
    deltas = [choice["delta"] for piece in pieces for choice in piece["choices"]]
    message = json.loads(whole)["choices"][0]["message"]
    assert "".join(delta.get("content", "") for delta in deltas) == message["content"]
    calls = [call for delta in deltas for call in delta.get("tool_calls", [])]
    assert calls == [{"index": 0, **message["tool_calls"][0]}]
    assert pieces[-2]["choices"][0]["finish_reason"] == json.loads(whole)["choices"][0]["finish_reason"] == "tool_calls"
    usage = pieces[-1]["usage"]
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]


async def test_the_same_request_gets_the_same_words() -> None:
    async with serve_policy() as base_url:
        answers = [json.loads((await post(base_url, request()))[2])["choices"] for _ in range(2)]
    assert answers[0] == answers[1]


async def test_what_it_received_is_noted() -> None:
    received: list[Received] = []
    async with serve_policy(received) as base_url:
        await post(base_url, request())
    assert received == [Received(digest(request()), (digest(PUZZLE.image),))]


async def test_the_models_tell_the_context_length() -> None:
    async with (
        serve_policy() as base_url,
        aiohttp.ClientSession() as session,
        session.get(f"{base_url}/models") as response,
    ):
        (model,) = (await response.json())["data"]
    assert (model["id"], model["max_model_len"]) == (POLICY_MODEL, CONTEXT)


@pytest.mark.parametrize(
    "body", [b"", b"{", b"\xff", b"[]", b"{}", b'{"messages": 5}', request(model="other"), request(messages=None)]
)
async def test_a_wrong_request_is_refused(body: bytes) -> None:
    received: list[Received] = []
    async with serve_policy(received) as base_url:
        status, _, answer = await post(base_url, body)
    assert status == 400
    assert json.loads(answer)["error"]["message"]
    assert received == []
