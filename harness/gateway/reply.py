"""Answering the sandbox: nothing but signs of life until the whole answer is there, then its very bytes."""

import asyncio
from typing import Final

from aiohttp import web

from harness.gateway import sse
from harness.gateway.protocol import error_body, error_response
from harness.gateway.record import Call
from harness.gateway.settings import GatewaySettings

EVENT_STREAM: Final = "text/event-stream"
_PIECE: Final = 64 * 1024


class Reply:
    """The response to one call."""

    def __init__(self, http: web.BaseRequest, settings: GatewaySettings, *, stream: bool) -> None:
        self._http = http
        self._settings = settings
        self._stream = stream
        self._begun: web.StreamResponse | None = None

    async def until(self, task: "asyncio.Task[None]") -> None:
        """Waits for the task; a client that asked for a stream gets a comment after each silence."""
        while True:
            done, _ = await asyncio.wait((task,), timeout=self._settings.heartbeat if self._stream else None)
            if done:
                return
            response = self._begun or await self._begin(EVENT_STREAM)
            await self._write(response, sse.comment("waiting"))

    async def finish(self, call: Call) -> web.StreamResponse:
        """Sends what came of the call; after a sign of life an error is an event, since the status is out.

        Raises:
            ConnectionError: the client does not take it.
        """
        if call.state == "answered":
            data = call.response
            kind = EVENT_STREAM if self._stream else "application/json"
            response = self._begun or await self._begin(kind, len(data))
            await self._write(response, data)
            await response.write_eof()
            return response
        reason, code = _reason(call)
        if self._begun is None:
            return error_response(400, reason, code=code)
        await self._write(self._begun, sse.event(error_body(reason, code).decode()))
        await self._begun.write_eof()
        return self._begun

    async def _begin(self, kind: str, size: int | None = None) -> web.StreamResponse:
        self._begun = web.StreamResponse(headers={"Content-Type": kind})
        self._begun.content_length = size
        self._begun.force_close()
        await self._begun.prepare(self._http)
        return self._begun

    async def _write(self, response: web.StreamResponse, data: bytes) -> None:
        """In pieces: who takes none for too long is cut off, and holds no copy of a large answer meanwhile."""
        view = memoryview(data)
        for at in range(0, len(view), _PIECE):
            try:
                async with asyncio.timeout(self._settings.patience):
                    await response.write(view[at : at + _PIECE])
            except TimeoutError:
                if self._http.transport is not None:
                    self._http.transport.abort()
                raise ConnectionError("the client does not take its answer") from None


def _reason(call: Call) -> tuple[str, str]:
    """What an agent is told, and a code.

    The endpoint's own words where it refused. Otherwise nothing that reads like overload, which OpenCode would retry.
    """
    failure = call.failure
    if failure is None or failure.again or failure.kind == "not-recorded":
        return "the model's endpoint gave no answer", "upstream_failed"
    # By this code OpenCode knows an overflow whatever the words.
    return failure.words, "context_length_exceeded" if failure.kind == "overflow" else "upstream_refused"
