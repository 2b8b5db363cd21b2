"""Reading a request's body from the sandbox: only as much and for as long as allowed."""

import asyncio
import io
import re
from typing import Final

from aiohttp import web

from harness.gateway.fields import Refused, shown
from harness.gateway.settings import GatewaySettings

# Of a request that is refused unread, this much is looked at, for the record.
_PEEK: Final = 64 * 1024


def declared_size(http: web.BaseRequest, settings: GatewaySettings) -> int:
    """The size of the body that the head announces, in bytes.

    Raises:
        Refused: another kind of content, no size or one too large, or anything that asks for more than one answer.
    """
    # The header itself: what a library makes of an odd one is not ours to answer for.
    kind = http.headers.get("Content-Type", "")
    if kind.partition(";")[0].strip().lower() != "application/json":
        raise Refused(415, f"the content type is {shown(kind)}; only application/json is read")
    for name in ("Content-Encoding", "Expect", "Upgrade", "Trailer"):
        if name in http.headers:
            raise Refused(415, f"the header {name} is not allowed")
    length = http.headers.get("Content-Length")
    if length is None:
        raise Refused(411, "the body's length must be given by Content-Length")
    if not re.fullmatch("[0-9]{1,15}", length):
        raise Refused(400, f"the content length is {shown(length)}")
    if int(length) > settings.max_body:
        raise Refused(413, f"the body is larger than {settings.max_body} bytes")
    return int(length)


async def read_body(http: web.BaseRequest, read: io.BytesIO, settings: GatewaySettings) -> None:
    """Reads the body into ``read``, so that the caller has what came even where it is refused.

    Raises:
        Refused: too slow, or cut.
    """
    try:
        async with asyncio.timeout(settings.patience):
            async for chunk in http.content.iter_any():
                read.write(chunk)
    except TimeoutError:
        raise Refused(400, f"the body did not come within {settings.patience:g} s") from None
    except (web.RequestPayloadError, ConnectionError) as error:
        raise Refused(400, f"the body is broken: {error}") from None


async def peek(http: web.BaseRequest, read: io.BytesIO) -> None:
    """Reads the beginning of a body that nobody read, if it is there at once."""
    try:
        async with asyncio.timeout(1.0):
            while not http.content.at_eof() and read.tell() < _PEEK:
                read.write(await http.content.read(_PEEK - read.tell()))
    except (TimeoutError, web.RequestPayloadError, ConnectionError):
        return
