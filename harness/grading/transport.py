"""HTTP to a judge's endpoint, each try with a bounded answer in a bounded time.

A module of its own since what it imports takes a second: only who asks a judge needs it. `httpx2` is what the openai
client speaks HTTP with; it is that client's dependency.
"""

import asyncio
import re
import zlib
from typing import Final

import httpx2
import openai

ANSWER_MAX: Final = 4 << 20  # bytes of an answer, as sent and as unpacked; a judge says some hundred

# Of what the client puts into a request of its own accord, also from OPENAI_* variables, only these go out. The last
# one is how the client tells itself to give the body as it came.
_KEPT: Final = {"host", "content-type", "content-length", "user-agent", "connection", "x-stainless-raw-response"}


class AnswerRefusedError(openai.OpenAIError):
    """An answer that is not read to its end; the client doesn't try again after an error of its own kind."""


class Transport(httpx2.AsyncBaseTransport):
    """Sends only our headers and gives back whole answers: of their headers, only how long to wait.

    ``timeout`` bounds one try, ``pause`` what an endpoint may ask us to wait, both in seconds.
    """

    def __init__(self, key: str | None, *, timeout: float, pause: float, connections: int) -> None:
        self._key = key
        self._longest_pause = pause
        self._timeout = timeout
        # The environment only says whom to trust with TLS (SSL_CERT_FILE, SSL_CERT_DIR), as it does for the policy.
        self._inner = httpx2.AsyncHTTPTransport(trust_env=True, limits=httpx2.Limits(max_connections=connections))

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """One try. Raises httpx2's errors, after which the client tries again, or AnswerRefusedError."""
        for name in [name for name in request.headers if name.lower() not in _KEPT]:
            del request.headers[name]
        request.headers["Accept"] = "application/json"
        request.headers["Accept-Encoding"] = "identity"
        if self._key is not None:
            request.headers["Authorization"] = f"Bearer {self._key}"
        try:
            # The client's own time-out is one of silence; this one also ends an endpoint that drips.
            async with asyncio.timeout(self._timeout):
                response = await self._inner.handle_async_request(request)
                try:
                    body = await _read(response)
                finally:
                    await response.aclose()
        except TimeoutError:
            raise httpx2.ReadTimeout("no whole answer in time", request=request) from None
        return httpx2.Response(
            response.status_code, headers=self._pause(response.headers), content=body, request=request
        )

    def _pause(self, headers: httpx2.Headers) -> dict[str, str]:
        """How long the endpoint wants us to wait, at most as long as we are ready to."""
        for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
            value = headers.get(name, "")
            if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", value):
                return {"retry-after-ms": f"{min(float(value) / unit, self._longest_pause) * 1000:.0f}"}
        return {}

    async def aclose(self) -> None:
        """Close all connections."""
        await self._inner.aclose()


async def _read(response: httpx2.Response) -> bytes:
    """The whole body, unpacked should it be packed although that was not asked for."""
    unpack = _unpacker(response.headers.get("content-encoding", "identity"))
    body = bytearray()
    received = 0
    try:
        async for chunk in response.aiter_raw():
            received += len(chunk)
            room = ANSWER_MAX + 1 - len(body)
            body += unpack.decompress(chunk, room) if unpack else chunk[:room]
            if max(received, len(body)) > ANSWER_MAX:
                raise AnswerRefusedError(f"it is larger than {ANSWER_MAX} bytes")
    except zlib.error as error:
        raise AnswerRefusedError(f"its packed form is damaged ({error})") from None
    if unpack and not unpack.eof:
        raise AnswerRefusedError("its packed form is cut")
    return bytes(body)


def _unpacker(encoding: str) -> "zlib._Decompress | None":
    match encoding.strip().lower():
        case "identity" | "":
            return None
        case "gzip" | "x-gzip":
            return zlib.decompressobj(wbits=31)
        case "deflate":
            return zlib.decompressobj()
        case _:
            raise AnswerRefusedError(f"it is packed as {encoding[:40]!r}, and was asked for as it is")
