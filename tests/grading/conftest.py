"""A judge's endpoint on loopback that answers from a script."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import attrs
import pytest
import pytest_asyncio
from aiohttp import web

from harness.store.grades import Grades
from harness.store.layout import Layout


def completion(text: str, **changes: Any) -> str:
    """The body of a chat completion that says ``text``."""
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop", **changes}
    return json.dumps({"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "choices": [choice]})


def says(verdict: str) -> str:
    return completion(json.dumps({"verdict": verdict, "reason": "as told"}))


@attrs.define
class Endpoint:
    """Gives its answers (HTTP status and body) in order, the last one for ever, and notes what it was asked."""

    answers: list[tuple[int, str]]
    url: str = ""
    asked: list[dict[str, Any]] = attrs.Factory(list)
    headers: list[dict[str, str]] = attrs.Factory(list)
    running: int = 0
    most: int = 0  # requests under way at once

    async def handle(self, request: web.Request) -> web.Response:
        self.running += 1
        self.most = max(self.most, self.running)
        await asyncio.sleep(0.02)
        self.running -= 1
        self.asked.append(await request.json())
        self.headers.append({name.lower(): value for name, value in request.headers.items()})
        status, body = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        headers = {"Location": "/elsewhere"} if status == 307 else {"retry-after-ms": "1"}
        return web.Response(status=status, text=body, content_type="application/json", headers=headers)


@pytest_asyncio.fixture
async def endpoint() -> AsyncIterator[Endpoint]:
    scripted = Endpoint([(200, says("equivalent"))])
    app = web.Application()
    app.router.add_post("/v1/chat/completions", scripted.handle)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    scripted.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    yield scripted
    await runner.cleanup()


@pytest.fixture
def grades(tmp_path: Path) -> Grades:
    return Grades(Layout(tmp_path))


@pytest.fixture(scope="session")
def make_completion() -> Callable[..., str]:
    return completion


@pytest.fixture(scope="session")
def make_verdict() -> Callable[[str], str]:
    return says
