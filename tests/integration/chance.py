"""The demo's policy behind an endpoint, but for one puzzle: there it asks the sandbox for a number of chance first."""

import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web

from harness.benchmarks.demo import conversation, policy
from harness.benchmarks.demo.conversation import Conversation
from harness.benchmarks.demo.policy import Reply
from harness.benchmarks.demo.wire import stream

COMMAND = "cat /proc/sys/kernel/random/uuid"


@asynccontextmanager
async def serve() -> AsyncIterator[str]:
    """Gives the base URL; the puzzle is the first that is asked about: what tries the endpoint before is none."""
    chosen: list[str] = []

    async def chat(request: web.Request) -> web.StreamResponse:
        body = await request.read()
        talk = conversation.read(json.loads(body)["messages"])
        if not chosen and "boxed" in talk.prompt:
            chosen.append(talk.prompt)
        answer = _by_chance(talk) if talk.prompt in chosen else policy.reply(talk)
        data = b"".join(stream(answer, talk.said, {"id": "chatcmpl-1", "created": 1, "model": "m"}, len(body)))
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


def _by_chance(talk: Conversation) -> Reply:
    if talk.said:
        return Reply(r"It is \boxed{1}.")
    return Reply("I look for a number.", ("bash", {"command": COMMAND, "description": "A number"}))
