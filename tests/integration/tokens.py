"""The demo's policy behind an endpoint that returns token ids and log-probabilities, in the form of vLLM's streams."""

import json
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

from harness.benchmarks.demo import conversation, policy
from harness.benchmarks.demo.policy import Reply
from harness.benchmarks.demo.wire import stream


@asynccontextmanager
async def serve(asked: list[dict[str, Any]]) -> AsyncIterator[str]:
    """Gives the base URL; each request's body is noted in ``asked``."""

    async def chat(request: web.Request) -> web.StreamResponse:
        body = json.loads(await request.read())
        asked.append(body)
        talk = conversation.read(body["messages"])
        data = b"".join(events(policy.reply(talk), talk.said))
        return web.Response(body=data, headers={"Content-Type": "text/event-stream"})

    app = web.Application(client_max_size=256 << 20)
    app.add_routes([web.post("/v1/chat/completions", chat)])
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        await runner.setup()
        try:
            await web.SockSite(runner, listener).start()
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        finally:
            await runner.cleanup()


def events(reply: Reply, turn: int) -> Iterator[bytes]:
    """The demo's events, each with two tokens, after the prompt's ids; a chunk without words before the last one."""
    envelope = {"id": "chatcmpl-1", "created": 1, "model": "m"}
    written, silent = 0, False
    for event in stream(reply, turn, envelope, 4000):
        text = event.removeprefix(b"data: ").strip()
        if text == b"[DONE]":
            yield event
            continue
        value = json.loads(text)
        if not value["choices"]:
            value["usage"] = {**value["usage"], "completion_tokens": written}
        elif "role" in value["choices"][0]["delta"]:
            value["choices"][0]["logprobs"] = None
            value["prompt_token_ids"] = list(range(1000))
        else:
            if value["choices"][0]["finish_reason"] and not silent:
                silent = True
                yield chunk({**value, "choices": [tokens({"index": 0, "delta": {}, "finish_reason": None}, written)]})
                written += 2
            value["choices"] = [tokens(value["choices"][0], written)]
            written += 2
        yield chunk(value)


def tokens(choice: dict[str, Any], number: int) -> dict[str, Any]:
    entries = [{"token": "x", "logprob": -0.25, "bytes": [120], "top_logprobs": []} for _ in range(2)]
    return {**choice, "logprobs": {"content": entries}, "token_ids": [number, number + 1], "stop_reason": None}


def chunk(value: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"
