"""A model's endpoint on loopback that does what a test tells it, and the bytes that such endpoints send."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import attrs
from aiohttp import web

Act = Callable[[web.Request], Awaitable[web.StreamResponse]]


@attrs.frozen
class Asked:
    """A request that the endpoint got."""

    method: str
    path: str
    headers: Mapping[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.raw)


class Endpoint:
    """Does its acts one after the other, the last one for ever; ``gone`` is set when a client hangs up."""

    def __init__(self, acts: Sequence[Act]) -> None:
        self._acts = list(acts)
        self._runner = web.AppRunner(self._app(), handler_cancellation=True, shutdown_timeout=0.1)
        self.asked: list[Asked] = []
        self.gone = asyncio.Event()
        self.url = ""

    def _app(self) -> web.Application:
        app = web.Application(client_max_size=1 << 30)
        app.router.add_route("*", "/{path:.*}", self._handle)
        return app

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        self.asked.append(Asked(request.method, request.path_qs, dict(request.headers), raw))
        act = self._acts.pop(0) if len(self._acts) > 1 else self._acts[0]
        try:
            return await act(request)
        except asyncio.CancelledError:
            self.gone.set()
            raise

    async def __aenter__(self) -> "Endpoint":
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/v1"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()


def chunk(delta: Mapping[str, object], finish: str | None = None, **more: object) -> bytes:
    """One event of a stream."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return b"data: " + json.dumps({"id": "up-1", "model": "real", "choices": [choice], **more}).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"


def stream(text: str = "", calls: Sequence[tuple[str, str, str]] = (), finish: str | None = None) -> bytes:
    """A whole answer: text, then tool calls (id, name, arguments), then usage."""
    parts = [chunk({"role": "assistant", "content": text})]
    for index, (call_id, name, arguments) in enumerate(calls):
        function = {"name": name, "arguments": arguments}
        parts.append(chunk({"tool_calls": [{"index": index, "id": call_id, "type": "function", "function": function}]}))
    parts.append(chunk({}, finish or ("tool_calls" if calls else "stop")))
    usage = {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}
    parts.append(b"data: " + json.dumps({"id": "up-1", "choices": [], "usage": usage}).encode() + b"\n\n")
    return b"".join([*parts, DONE])


def sends(
    data: bytes,
    status: int = 200,
    kind: str = "text/event-stream",
    headers: Mapping[str, str] | None = None,
    wait: float = 0,
) -> Act:
    """Sends these bytes, after a while."""

    async def act(request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(wait)
        return web.Response(body=data, status=status, headers={**(headers or {}), "Content-Type": kind})

    return act


def says(text: str = "", calls: Sequence[tuple[str, str, str]] = (), finish: str | None = None, wait: float = 0) -> Act:
    """Sends a whole answer."""
    return sends(stream(text, calls, finish), wait=wait)


def fails(status: int, message: str, headers: Mapping[str, str] | None = None, **fields: object) -> Act:
    """Sends an error as OpenAI does."""
    body = json.dumps({"error": {"message": message, **fields}}).encode()
    return sends(body, status, "application/json", headers)


def breaks_off(data: bytes) -> Act:
    """Sends these bytes of a longer response, then closes the connection."""

    async def act(request: web.Request) -> web.StreamResponse:
        response = await _begin(request, data)
        assert request.transport is not None
        request.transport.close()
        return response

    return act


def hangs(data: bytes | None = None) -> Act:
    """Sends these bytes and then nothing more; with None nothing at all."""

    async def act(request: web.Request) -> web.StreamResponse:
        if data is not None:
            await _begin(request, data)
        await asyncio.Event().wait()
        raise AssertionError

    return act


async def _begin(request: web.Request, data: bytes) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    await response.write(data)
    return response
