"""An endpoint that keeps whoever asks it waiting until the test opens its gate."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import attrs
from aiohttp import web

from harness.benchmarks.demo import conversation
from harness.benchmarks.demo.conversation import Conversation
from harness.benchmarks.demo.policy import Reply
from harness.benchmarks.demo.wire import completion, stream


@attrs.frozen
class Gated:
    """``asked`` is set by the first request, ``tokens`` are those of all; answers come when ``gate`` is set."""

    url: str
    asked: asyncio.Event = attrs.field(factory=asyncio.Event)
    gate: asyncio.Event = attrs.field(factory=asyncio.Event)
    tokens: list[str] = attrs.field(factory=list)


@asynccontextmanager
async def gated(model: str, answer: Callable[[Conversation], Reply]) -> AsyncIterator[Gated]:
    """Serves one model on the loopback."""
    found: Gated | None = None

    async def chat(request: web.Request) -> web.StreamResponse:
        assert found is not None
        value = await request.json()
        found.asked.set()
        found.tokens.append(request.headers.get("Authorization", ""))
        await found.gate.wait()
        talk = conversation.read(value["messages"])
        envelope = {"id": "chatcmpl-1", "created": 1, "model": model}
        if not value.get("stream"):
            return web.json_response(completion(answer(talk), talk.said, envelope, 1))
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for event in stream(answer(talk), talk.said, envelope, 1):
            await response.write(event)
        return response

    async def models(_: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": model, "max_model_len": 65536}]})

    app = web.Application(client_max_size=1 << 28)
    app.add_routes([web.post("/v1/chat/completions", chat), web.get("/v1/models", models)])
    runner = web.AppRunner(app, shutdown_timeout=0)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        found = Gated(f"http://127.0.0.1:{runner.addresses[0][1]}/v1")
        yield found
    finally:
        if found is not None:
            found.gate.set()
        await runner.cleanup()
