"""The scripted policy and judge behind real HTTP: an OpenAI-compatible endpoint on a free port of 127.0.0.1."""

import json
import socket
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

import attrs
from aiohttp import web

from harness.benchmarks.demo import conversation, judge, policy
from harness.benchmarks.demo.conversation import Conversation
from harness.benchmarks.demo.policy import Reply
from harness.benchmarks.demo.wire import completion, stream
from harness.errors import HarnessError
from harness.store.digests import Digest, digest

POLICY_MODEL: Final = "demo-policy"
JUDGE_MODEL: Final = "demo-judge"
CONTEXT: Final = 131_072  # tokens, as /v1/models says
_BODY_MAX: Final = 256 << 20  # bytes of one request


@attrs.frozen
class Received:
    """A request as the endpoint got it: the digest of its body, and of each picture in the order of the talk."""

    body: Digest
    pictures: tuple[Digest, ...]


@asynccontextmanager
async def serve_policy(
    received: list[Received] | None = None, scripted: Callable[[Conversation], Reply] = policy.reply
) -> AsyncIterator[str]:
    """Serves the scripted policy; gives the base URL, with ``/v1``. Each request is noted in ``received``."""
    async with serve(POLICY_MODEL, scripted, [] if received is None else received) as base_url:
        yield base_url


@asynccontextmanager
async def serve_judge() -> AsyncIterator[str]:
    """Serves the rule judge; gives the base URL, with ``/v1``."""
    async with serve(JUDGE_MODEL, judge.reply, []) as base_url:
        yield base_url


@asynccontextmanager
async def serve(model: str, answer: Callable[[Conversation], Reply], received: list[Received]) -> AsyncIterator[str]:
    """Serves one model whose next turn ``answer`` decides; gives the base URL, with ``/v1``."""

    async def chat(request: web.Request) -> web.StreamResponse:
        body = await request.read()
        try:
            asked = json.loads(body)
            talk = conversation.read(asked["messages"])
        except (ValueError, TypeError, KeyError, RecursionError):
            return _refusal("messages must be a list")
        if asked.get("model") != model:
            return _refusal(f"there is only the model {model}")
        received.append(Received(digest(body), tuple(map(digest, talk.pictures))))
        envelope: dict[str, Any] = {"id": f"chatcmpl-{len(received)}", "created": int(time.time()), "model": model}
        try:
            said = answer(talk)
        except HarnessError as error:  # of a file that isn't ours
            return _refusal(str(error))
        if not asked.get("stream"):
            return web.json_response(completion(said, talk.said, envelope, len(body)))
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"})
        await response.prepare(request)
        for event in stream(said, talk.said, envelope, len(body)):
            await response.write(event)
        await response.write_eof()
        return response

    async def models(_request: web.Request) -> web.Response:
        entry = {"id": model, "object": "model", "created": 0, "owned_by": "demo", "max_model_len": CONTEXT}
        return web.json_response({"object": "list", "data": [entry]})

    app = web.Application(client_max_size=_BODY_MAX)
    app.add_routes([web.post("/v1/chat/completions", chat), web.get("/v1/models", models)])
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        await runner.setup()
        try:
            await web.SockSite(runner, listener).start()
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        finally:
            await runner.cleanup()


def _refusal(message: str) -> web.Response:
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": None}
    return web.json_response({"error": error}, status=400)
