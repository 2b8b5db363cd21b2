"""HTTP as the sandbox may speak it: few connections, small headers, no patience with slow ones."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from harness.gateway.accepting import Slots
from harness.gateway.settings import GatewaySettings

# Told about a request that never became one, or about an exception in a handler.
OnError = Callable[[web.BaseRequest, BaseException | None], None]

# Bytes that a connection may hold unread; also bounds how many tiny chunks are looked at before a body is refused.
_BUFFER = 64 * 1024


class BoundedServer(web.Server):
    """An aiohttp server for one sandbox's listener; each connection serves one request."""

    def __init__(
        self,
        handler: Callable[[web.BaseRequest], Awaitable[web.StreamResponse]],
        settings: GatewaySettings,
        slots: Slots,
        on_error: OnError,
    ) -> None:
        super().__init__(
            handler,
            handler_cancellation=True,  # who hangs up does not keep the endpoint busy
            access_log=None,
            auto_decompress=False,
            # Counts from the connection's start until a whole header is there.
            keepalive_timeout=settings.patience,
            lingering_time=1.0,  # a client that is still sending shall see why it was refused
            max_line_size=settings.max_header,
            max_field_size=settings.max_header,
            max_headers=settings.max_headers,
            read_bufsize=_BUFFER,
        )
        self._slots = slots
        self._on_error = on_error

    def connection_lost(self, handler: web.RequestHandler, exc: BaseException | None = None) -> None:
        super().connection_lost(handler, exc)
        self._slots.free()

    def __call__(self) -> web.RequestHandler:
        return Connection(self, self._on_error, loop=self._loop, **self._kwargs)


class Connection(web.RequestHandler):
    """A connection whose errors are recorded and answered like any refusal."""

    __slots__ = ("_given_up", "_on_error")

    def __init__(self, manager: web.Server, on_error: OnError, **kwargs: Any) -> None:
        super().__init__(manager, **kwargs)
        self._on_error = on_error
        self._given_up = False

    def give_up(self) -> None:
        """Looks at nothing more that comes: a million chunks of a byte would take seconds from everybody."""
        self._given_up = True
        self._lingering_time = 0.0

    def data_received(self, data: bytes) -> None:
        if not self._given_up:
            super().data_received(data)

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        if request.writer.output_size > 0:
            raise ConnectionError("the response has begun, it can't be turned into an error")
        self._on_error(request, exc)
        # Never a 5xx: OpenCode would try again for ever.
        return error_response(400, "this is no HTTP" if isinstance(exc, HttpProcessingError) else "the gateway failed")


def error_response(status: int, reason: str, *, code: str = "refused") -> web.Response:
    """An error as OpenAI's clients expect it."""
    response = web.Response(status=status, body=error_body(reason, code), content_type="application/json")
    response.force_close()
    return response


def error_body(reason: str, code: str) -> bytes:
    """The JSON of an error; lone surrogates come out as escapes."""
    return json.dumps({"error": {"message": reason, "type": "invalid_request_error", "code": code}}).encode()
