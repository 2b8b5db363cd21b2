import asyncio
import contextlib
import time

import pytest
from aiohttp import web

from tests.gateway.bodies import body, opening
from tests.gateway.conftest import Gateway
from tests.gateway.scripted import says


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "text/plain"},
        {"Content-Type": "multipart/form-data; boundary=x"},
        {"Content-Encoding": "gzip"},
        {"Expect": "200-maybe"},
        {"Upgrade": "websocket", "Connection": "Upgrade"},
    ],
)
async def test_other_kinds_of_content_are_refused(gateway: Gateway, headers: dict[str, str]) -> None:
    sandbox = await gateway(says("C"))
    assert (await sandbox.post(body(opening()), **headers)).status == 415
    assert len(sandbox.talk.refusals) == 1
    assert sandbox.endpoint.asked == []


@pytest.mark.parametrize("chunked", [False, True])
async def test_a_body_that_is_too_large_or_of_no_known_length_is_refused(gateway: Gateway, chunked: bool) -> None:
    sandbox = await gateway(says("C"), max_body=10_000)
    data = body([*opening(), {"role": "user", "content": "x" * 20_000}])
    head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    if chunked:
        sent = head + b"Transfer-Encoding: chunked\r\n\r\n" + b"%x\r\n%s\r\n0\r\n\r\n" % (len(data), data)
    else:
        sent = head + b"Content-Length: %d\r\n\r\n" % len(data) + data
    got = await sandbox.raw(sent)
    status = 411 if chunked else 413
    assert got.startswith(b"HTTP/1.1 %d" % status)
    assert sandbox.talk.refusals[0].status == status
    assert sandbox.talk.calls == ()


async def test_slow_clients_are_not_waited_for(gateway: Gateway) -> None:
    sandbox = await gateway(says("C"), patience=0.3)
    started = time.monotonic()
    head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 999\r\n"
    assert (await sandbox.raw(head + b"\r\n{")).startswith(b"HTTP/1.1 400")
    assert await sandbox.raw(head) == b""
    assert await sandbox.raw(b"") == b""
    assert time.monotonic() - started < 10
    assert "did not come" in sandbox.talk.refusals[0].reason
    assert not sandbox.talk.failed.is_set()


async def test_connections_are_bounded(gateway: Gateway) -> None:
    sandbox = await gateway(says("C"), max_connections=3, patience=30)
    held = [await asyncio.open_connection(*sandbox.address) for _ in range(3)]
    await asyncio.sleep(0.1)
    fourth = asyncio.create_task(sandbox.ask("GET", "/v1/models"))
    await asyncio.sleep(0.3)
    assert not fourth.done()
    held[0][1].close()
    assert (await fourth).status == 200
    for _, writer in held:
        writer.close()


@pytest.mark.parametrize(
    "data",
    [
        b"GET /v1/models\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP/1.1\r\nX: " + b"y" * 100_000 + b"\r\n\r\n",
        b"GET /" + b"y" * 100_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 1000 + b"\r\n",
        b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
        b"GET / HTTP/1.1\r\nBad Header\r\n\r\n",
    ],
)
async def test_what_is_no_http_is_refused_and_recorded(gateway: Gateway, data: bytes) -> None:
    sandbox = await gateway(says("C"), patience=1)
    got = await sandbox.raw(data)
    assert b" 400 " in got.partition(b"\r\n")[0]
    assert len(sandbox.talk.refusals) == 1
    assert not sandbox.talk.failed.is_set()


async def test_chunks_are_not_looked_at_once_they_are_refused(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    received = web.RequestHandler.data_received
    monkeypatch.setattr(
        web.RequestHandler, "data_received", lambda self, data: (seen.append(len(data)), received(self, data))[1]
    )
    sandbox = await gateway(says("C"))
    head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    with contextlib.suppress(ConnectionError):
        await sandbox.raw(head + b"1\r\n{\r\n" * 2_000_000)
    assert [refusal.status for refusal in sandbox.talk.refusals] == [411]
    assert sum(seen) < 1_000_000


async def test_a_broken_chunk_is_refused(gateway: Gateway) -> None:
    sandbox = await gateway(says("C"), patience=1)
    head = b"POST /v1/chat/completions HTTP/1.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    await sandbox.raw(head + b"zz\r\n{}\r\n")
    assert len(sandbox.talk.refusals) == 1
    assert not sandbox.talk.failed.is_set()


async def test_who_hangs_up_while_sending_is_recorded(gateway: Gateway) -> None:
    sandbox = await gateway(says("C"))
    _, writer = await asyncio.open_connection(*sandbox.address)
    writer.write(b"POST /v1/chat/completions HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{")
    await writer.drain()
    await asyncio.sleep(0.1)
    writer.close()
    await asyncio.sleep(0.1)
    assert not sandbox.talk.failed.is_set()
    assert (await sandbox.ask("GET", "/v1/models")).status == 200
