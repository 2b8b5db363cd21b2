"""One try at a judge's endpoint: what goes out, and what of an answer comes back."""

import asyncio
from typing import Any

import httpx2
import pytest

from harness.grading.transport import Transport
from tests.grading.replies import http


async def got(answer: bytes) -> httpx2.Response:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(handle, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with httpx2.AsyncClient(
            transport=Transport(None, timeout=30, pause=60, connections=1), trust_env=False
        ) as client:
            return await client.get(url)


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"Retry_After_Ms": "20"}, "20"),
        ({"Retry_After_Ms": "", "Retry_After": "1.5"}, "1500"),
        ({"Retry_After_Ms": "", "Retry_After": "3600"}, "60000"),
        ({"Retry_After_Ms": "", "Retry_After": "9" * 40}, None),
        ({"Retry_After_Ms": "", "Retry_After": "inf"}, None),
        ({"Retry_After_Ms": "", "Retry_After": "-1"}, None),
        ({"Retry_After_Ms": "", "Retry_After": "Mon, 01 Jan 2035 00:00:00 GMT"}, None),
    ],
)
async def test_an_endpoint_can_ask_for_a_pause_but_not_for_any(headers: dict[str, Any], expected: str | None) -> None:
    assert (await got(http(429, **headers))).headers.get("retry-after-ms") == expected


async def test_of_the_headers_nothing_else_comes_back() -> None:
    response = await got(http(200, "{}", Set_Cookie="a=b", X_Should_Retry="true", Location="/else"))
    assert response.content == b"{}"
    assert sorted(response.headers) == ["content-length", "retry-after-ms"]
