"""Answering the sandbox: nothing but signs of life until the whole answer is there, then its very bytes."""

import asyncio
from typing import Final

from aiohttp import web

from harness.gateway import sse
from harness.gateway.protocol import error_body, error_response
from harness.gateway.record import Call

EVENT_STREAM: Final = "text/event-stream"


class Reply:
    """The response to one call."""

    def __init__(self, http: web.BaseRequest, *, stream: bool, heartbeat: float) -> None:
        self._http = http
        self._stream = stream
        self._heartbeat = heartbeat
        self._begun: web.StreamResponse | None = None

    async def until(self, task: "asyncio.Task[None]") -> None:
        """Waits for the task; a client that asked for a stream gets a comment after each silence."""
        while True:
            done, _ = await asyncio.wait((task,), timeout=self._heartbeat if self._stream else None)
            if done:
                return
            if self._begun is None:
                self._begun = web.StreamResponse(headers={"Content-Type": EVENT_STREAM})
                self._begun.force_close()
                await self._begun.prepare(self._http)
            await self._begun.write(sse.comment("waiting"))

    async def finish(self, call: Call) -> web.StreamResponse:
        """Sends what came of the call; after a sign of life an error is an event, since the status is out."""
        if call.state == "answered":
            if self._begun is None:
                kind = EVENT_STREAM if self._stream else "application/json"
                response = web.Response(body=call.response, content_type=kind)
                response.force_close()
                return response
            await self._begun.write(call.response)
        else:
            reason, code = _reason(call)
            if self._begun is None:
                return error_response(400, reason, code=code)
            await self._begun.write(sse.event(error_body(reason, code).decode()))
        await self._begun.write_eof()
        return self._begun


def _reason(call: Call) -> tuple[str, str]:
    """What an agent is told, and a code.

    The endpoint's own words where it refused. Otherwise nothing that reads like overload, which OpenCode would retry.
    """
    failure = call.failure
    if failure is None or failure.again or failure.kind == "not-recorded":
        return "the model's endpoint gave no answer", "upstream_failed"
    # By this code OpenCode knows an overflow whatever the words.
    return failure.words, "context_length_exceeded" if failure.kind == "overflow" else "upstream_refused"
