"""The gateway of one sandbox: an allow-list with two routes."""

import asyncio
import contextlib
import io
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from aiohttp import HttpVersion10, HttpVersion11, web
from aiohttp.http_exceptions import HttpProcessingError

from harness.gateway.accepting import Pace, Slots, accept
from harness.gateway.exchange import Exchange
from harness.gateway.failures import Failure
from harness.gateway.fields import Refused
from harness.gateway.inbound import declared_size, peek, read_body
from harness.gateway.opening import Opening
from harness.gateway.protocol import BoundedServer, Connection, error_response
from harness.gateway.reply import Reply
from harness.gateway.request import Request, parse
from harness.gateway.settings import GatewaySettings
from harness.gateway.source import Source
from harness.gateway.talk import Talk
from harness.gateway.turns import Turns

CHAT = "/v1/chat/completions"
MODELS = "/v1/models"


@asynccontextmanager
async def serve(
    listener: socket.socket, source: Source, opening: Opening, settings: GatewaySettings
) -> AsyncIterator[Talk]:
    """Answers on a sandbox's listening socket until the context ends; the socket itself stays the caller's.

    At the end calls in flight are cancelled and recorded as far as they came; the talk can be read afterwards.
    """
    talk = Talk(opening, settings)
    gateway = _Gateway(talk, source, settings)
    slots = Slots(settings.max_connections)
    server = BoundedServer(gateway.handle, settings, slots, gateway.on_error)
    own = listener.dup()
    own.setblocking(False)
    pace = Pace(settings.connection_rate, settings.connection_burst)
    accepting = asyncio.create_task(accept(own, server, slots, pace))
    try:
        yield talk
    finally:
        accepting.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await accepting
        own.close()
        await gateway.end()
        await server.shutdown(timeout=0.2)


class _Gateway:
    def __init__(self, talk: Talk, source: Source, settings: GatewaySettings) -> None:
        self._talk = talk
        self._source = source
        self._settings = settings
        self._waiting = 0
        self._turns = Turns(settings.share)
        self._in_flight = asyncio.Semaphore(settings.max_in_flight)
        self._tasks: set[asyncio.Task[None]] = set()

    async def handle(self, http: web.BaseRequest) -> web.StreamResponse:
        """Answers one HTTP request."""
        read = io.BytesIO()
        try:
            return await self._route(http, read)
        except Refused as refused:
            if "Transfer-Encoding" in http.headers and isinstance(http.protocol, Connection):
                http.protocol.give_up()
            elif not read.tell():
                await peek(http, read)
            self._talk.refuse(refused.status, refused.reason, http.method, http.raw_path, read.getvalue())
            return error_response(refused.status, refused.reason)
        finally:
            if http.transport is not None:
                # By then it is over, unless the client takes nothing.
                asyncio.get_running_loop().call_later(self._settings.patience, http.transport.abort)

    def on_error(self, http: web.BaseRequest, error: BaseException | None) -> None:
        """Records what never became a request.

        An exception of the gateway's own ends the talk, but only while nothing of the shell's can have caused it.
        """
        text = f"{type(error).__name__}: {error}"
        self._talk.refuse(400, text, http.method, http.raw_path, b"")
        if not isinstance(error, HttpProcessingError | ConnectionError) and not self._talk.begun:
            self._talk.end(Failure("broken", None, f"the gateway itself failed, please report this: {text}"))

    async def end(self) -> None:
        """Cancels what is in flight, and waits until that is recorded."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._talk.failing is not None and await self._source.answers():
            self._talk.fails_alone(self._talk.failing)

    async def _route(self, http: web.BaseRequest, read: io.BytesIO) -> web.StreamResponse:
        if http.version not in (HttpVersion10, HttpVersion11):
            raise Refused(400, "this is not HTTP/1.0 or 1.1")
        if "Transfer-Encoding" in http.headers:
            # Chunks could be a byte each, with extensions and trailers: far more work than a body is worth.
            raise Refused(411, "the body's length must be given by Content-Length")
        # The raw path: an absolute URI, a query or an escape never equals it.
        route = (http.method, http.raw_path)
        if route == ("GET", MODELS):
            return self._models()
        if route != ("POST", CHAT):
            known = http.raw_path in (CHAT, MODELS)
            raise Refused(405 if known else 404, "only POST /v1/chat/completions and GET /v1/models are served here")
        size = declared_size(http, self._settings)
        if budget := self._talk.exhausted:
            raise Refused(403, f"this sandbox's budget is used up: {budget}")
        if self._waiting + size > self._settings.max_waiting:
            raise Refused(413, f"the requests under way have more than {self._settings.max_waiting} bytes")
        self._waiting += size
        try:
            await read_body(http, read, self._settings)
            request = await self._turns.run(partial(self._parse, read))
            if budget := self._talk.exhausted:
                raise Refused(403, f"this sandbox's budget is used up: {budget}")
            read.close()
            return await self._call(http, request)
        finally:
            self._waiting -= size

    def _parse(self, read: io.BytesIO) -> Request:
        return parse(read.getvalue(), self._settings.alias, self._settings.date, self._settings.max_text)

    def _models(self) -> web.Response:
        model = {"id": self._settings.alias, "object": "model", "created": 0, "owned_by": "harness"}
        body = json.dumps({"object": "list", "data": [model]}).encode()
        response = web.Response(body=body, content_type="application/json")
        response.force_close()
        return response

    async def _call(self, http: web.BaseRequest, request: Request) -> web.StreamResponse:
        index = self._talk.accept(request)
        exchange = Exchange()
        task = asyncio.ensure_future(self._settle(index, request, exchange))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        reply = Reply(http, self._settings, stream=request.stream)
        try:
            await reply.until(task)
        finally:
            task.cancel()
            await asyncio.wait((task,))
        if not task.cancelled():
            task.result()  # an exception in it is the gateway's own
        return await reply.finish(self._talk.calls[index])

    async def _settle(self, index: int, request: Request, exchange: Exchange) -> None:
        """Brings a call to its end, whatever that is."""
        result = None
        try:
            async with self._in_flight:
                exchange.start()
                self._talk.wait(index, exchange)
                result = await self._source.ask(request, exchange, self._talk.place(index))
        finally:
            self._talk.settle(index, exchange, result)
