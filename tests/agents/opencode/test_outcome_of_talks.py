"""Outcomes of real talks: a real gateway between an agent that only posts requests and an endpoint that misbehaves."""

import asyncio
import base64
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import attrs
import pytest
from aiohttp import web

from harness.agents.opencode import Outcome, outcome
from harness.gateway import Backoff, GatewaySettings, Opening, Policy, Talk, connected, serve
from harness.sandbox.values import Ended, Evidence

PICTURE = b"\x89PNG\r\n\x1a\n a picture"
OPENING = Opening("How many?", (PICTURE,))
ATTEMPTS = 9
SETTINGS = GatewaySettings(stall=0.3, attempts=ATTEMPTS, backoff=Backoff(0.01, 1, 0.01))

Answering = Callable[[web.Request], Awaitable[web.StreamResponse]]


def opening() -> list[dict[str, Any]]:
    url = "data:image/png;base64," + base64.b64encode(PICTURE).decode()
    return [
        {"role": "system", "content": "You are an agent."},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": 'Called the Read tool with the following input: {"filePath":"/image.png"}'},
                {"type": "text", "text": "Image read successfully"},
                {"type": "image_url", "image_url": {"url": url}},
                {"type": "text", "text": "How many?"},
            ],
        },
    ]


CALL = {"id": "call_0", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
AFTER_TOOL = [
    *opening(),
    {"role": "assistant", "content": "", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "call_0", "content": "5"},
]


def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n"


def stream(delta: dict[str, Any], finish: str) -> web.Response:
    body = chunk(delta) + chunk({}, finish) + b"data: [DONE]\n\n"
    return web.Response(body=body, content_type="text/event-stream")


async def stop(_request: web.Request) -> web.StreamResponse:
    return stream({"content": "It is \\boxed{5}."}, "stop")


async def tool(_request: web.Request) -> web.StreamResponse:
    return stream({"tool_calls": [{"index": 0, **CALL}]}, "tool_calls")


async def silent(_request: web.Request) -> web.StreamResponse:
    await asyncio.sleep(60)
    return web.Response()


async def silent_in_mid_answer(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    await response.write(chunk({"content": "It"}))
    await asyncio.sleep(60)
    return response


async def talking(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    while True:
        await response.write(chunk({"content": "and "}))
        await asyncio.sleep(0.05)


def refusing(status: int, words: str) -> Answering:
    async def answer(_request: web.Request) -> web.StreamResponse:
        return web.json_response({"error": {"message": words}}, status=status)

    return answer


@asynccontextmanager
async def upstream(*turns: Answering) -> AsyncIterator[str]:
    """An endpoint that takes its turns one after the other, the last one for ever."""
    left = list(turns)

    async def chat(request: web.Request) -> web.StreamResponse:
        await request.read()
        return await (left.pop(0) if len(left) > 1 else left[0])(request)

    app = web.Application()
    app.router.add_post("/v1/chat/completions", chat)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        await runner.setup()
        try:
            await web.SockSite(runner, listener).start()
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        finally:
            await runner.cleanup()


async def ask(port: int, messages: list[dict[str, Any]]) -> None:
    body = {"model": "vlm", "stream": True, "messages": messages}
    url = f"http://127.0.0.1:{port}/v1/chat/completions"
    async with aiohttp.ClientSession() as session, session.post(url, json=body) as response:
        await response.read()


def policy_at(base_url: str) -> Policy:
    return Policy(base_url=base_url, model="m", api_key=None, sampling={}, max_output=10, context=100)


async def play(
    ended: Ended,
    *turns: Answering,
    seconds: float = 1.5,
    asks: int | None = None,
    settings: GatewaySettings = SETTINGS,
) -> Outcome:
    """The outcome where an agent asked so often, else as often as there are turns, or until the time was up."""
    async with upstream(*turns) as base_url:
        policy = policy_at(base_url)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            async with connected(policy, settings) as source, serve(listener, source, OPENING, settings) as talk:
                port = listener.getsockname()[1]
                try:
                    async with asyncio.timeout(seconds):
                        for messages in (opening(), AFTER_TOOL)[: asks or len(turns)]:
                            await ask(port, messages)
                except TimeoutError:
                    pass
    return decide(ended, talk)


def decide(ended: Ended, talk: Talk) -> Outcome:
    evidence = Evidence(b"rules", b"filter", 1, 0, (), False, {}, {}, 1, ("init", "ids"), (), {})
    return outcome(ended, talk, evidence, talk.chain())


EXITED = Ended(0, "exited", 2)
DIED = Ended(1, "exited", 2)
TIMED_OUT = Ended(None, "timed-out", 2)
STOPPED = Ended(None, "stopped", 2)
OVERFLOW = "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens."


@pytest.mark.parametrize(
    ("kind", "ended", "turns"),
    [
        ("answered", EXITED, [stop]),
        ("answered", EXITED, [tool, stop]),
        ("agent-died", DIED, [tool]),
        ("task-timeout", TIMED_OUT, [talking]),
        ("task-timeout", TIMED_OUT, [tool, talking]),
        ("context-overflow", STOPPED, [refusing(400, OVERFLOW)]),
        ("context-overflow", DIED, [tool, refusing(400, OVERFLOW)]),
        ("request-too-large", DIED, [tool, refusing(413, "Request Entity Too Large")]),
        ("request-refused", DIED, [tool, refusing(400, "the image can't be read"), stop, refusing(400, "again")]),
        # the endpoint fails on this request, answers the opening in between, and fails on this one again
        ("request-refused", DIED, [tool, *[refusing(500, "boom")] * ATTEMPTS, stop, refusing(500, "boom")]),
    ],
)
async def test_a_measurement(kind: str, ended: Ended, turns: list[Answering]) -> None:
    found = await play(ended, *turns)
    assert (found.kind, found.masked) == (kind, False)


@pytest.mark.parametrize(
    ("kind", "ended", "turns"),
    [
        ("upstream-stalled", TIMED_OUT, [silent]),
        ("upstream-stalled", TIMED_OUT, [silent_in_mid_answer]),
        ("upstream-stalled", TIMED_OUT, [tool, silent]),
        ("upstream-failed", STOPPED, [refusing(500, "boom")]),
        ("upstream-failed", STOPPED, [refusing(429, "slow down")]),
        ("upstream-failed", STOPPED, [tool, refusing(503, "overloaded")]),
        ("upstream-failed", DIED, [tool, refusing(500, "boom")]),
        ("upstream-refused", DIED, [tool, refusing(403, "key limit exceeded")]),
        ("upstream-failed", DIED, [tool, refusing(429, "Request too large for your tokens per minute")]),
        ("upstream-refused", STOPPED, [refusing(400, "no such parameter")]),
        ("upstream-refused", STOPPED, [refusing(401, "bad key")]),
    ],
)
async def test_no_measurement(kind: str, ended: Ended, turns: list[Answering]) -> None:
    found = await play(ended, *turns)
    assert (found.kind, found.masked) == (kind, True)


def by_content(*controls: Answering) -> Answering:
    """Fails what holds a tool's result; answers the opening with a tool call, and from then on as it is told."""
    answers = [tool, *controls]

    async def answer(request: web.Request) -> web.StreamResponse:
        if any(message["role"] == "tool" for message in (await request.json())["messages"]):
            return await refusing(500, "boom")(request)
        return await (answers.pop(0) if len(answers) > 1 else answers[0])(request)

    return answer


@pytest.mark.parametrize(
    ("kind", "turns"),
    [
        ("task-timeout", [by_content(stop)]),
        ("upstream-failed", [by_content(refusing(500, "boom"))]),
        ("upstream-failed", [tool, refusing(500, "boom")]),
    ],
)
async def test_an_endpoint_that_fails_when_the_time_is_up(kind: str, turns: list[Answering]) -> None:
    """With so many tries the endpoint is still failing the second call then."""
    found = await play(TIMED_OUT, *turns, asks=2, settings=attrs.evolve(SETTINGS, attempts=1000))
    assert (found.kind, found.masked) == (kind, kind == "upstream-failed")


async def test_an_agent_that_never_asks() -> None:
    policy = policy_at("http://127.0.0.1:9/v1")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        async with connected(policy, SETTINGS) as source, serve(listener, source, OPENING, SETTINGS) as talk:
            pass
    found = decide(STOPPED, talk)
    assert found.kind == "first-output-timeout"
    assert "--first-call" in (found.reason or "")
