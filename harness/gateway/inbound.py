"""Reading a request's body from the sandbox: only as much and for as long as allowed."""

import asyncio
from typing import Final

from aiohttp import web

from harness.gateway.fields import Refused, shown
from harness.gateway.settings import GatewaySettings

# Of a request that is refused unread, this much is looked at, for the record.
_PEEK: Final = 64 * 1024


async def read_body(http: web.BaseRequest, read: bytearray, settings: GatewaySettings) -> None:
    """Reads the body into ``read``, so that the caller has what came even where it is refused.

    Raises:
        Refused: another kind of content, too large, too slow, or cut.
    """
    # The header itself: what a library makes of an odd one is not ours to answer for.
    kind = http.headers.get("Content-Type", "")
    if kind.partition(";")[0].strip().lower() != "application/json":
        raise Refused(415, f"the content type is {shown(kind)}; only application/json is read")
    for name in ("Content-Encoding", "Expect", "Upgrade"):
        if name in http.headers:
            raise Refused(415, f"the header {name} is not allowed")
    if (http.content_length or 0) > settings.max_body:
        raise Refused(413, f"the body is larger than {settings.max_body} bytes")
    try:
        async with asyncio.timeout(settings.read_timeout):
            async for chunk in http.content.iter_any():
                read += chunk
                if len(read) > settings.max_body:
                    raise Refused(413, f"the body is larger than {settings.max_body} bytes")
    except TimeoutError:
        raise Refused(400, f"the body did not come within {settings.read_timeout:g} s") from None
    except (web.RequestPayloadError, ConnectionError) as error:
        raise Refused(400, f"the body is broken: {error}") from None


async def peek(http: web.BaseRequest, read: bytearray) -> None:
    """Reads the beginning of a body that nobody read, if it is there at once."""
    try:
        async with asyncio.timeout(1.0):
            while not http.content.at_eof() and len(read) < _PEEK:
                read += await http.content.read(_PEEK - len(read))
    except (TimeoutError, web.RequestPayloadError, ConnectionError):
        return
