import asyncio
import gzip
import ssl
import time
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from harness.gateway import Answer, Backoff, Failure, GatewaySettings
from harness.gateway.exchange import Exchange
from harness.gateway.upstream import Upstream, _trust
from tests.gateway.conftest import KEY, policy, until
from tests.gateway.scripted import (
    DONE,
    Act,
    Endpoint,
    breaks_off,
    chunk,
    fails,
    hangs,
    says,
    sends,
    stream,
)

CUT = stream("half of it").removesuffix(DONE)


@asynccontextmanager
async def asking(*acts: Act, **settings: Any) -> AsyncIterator[tuple[Upstream, Endpoint]]:
    chosen = GatewaySettings(**{"attempts": 3, "backoff": Backoff(first=0.01, most=0.05), **settings})
    async with Endpoint(acts) as endpoint, Upstream(policy(endpoint.url), chosen) as upstream:
        yield upstream, endpoint


async def ask(*acts: Act, streamed: bool = True, **settings: Any) -> tuple[Answer | Failure, Exchange, Endpoint]:
    async with asking(*acts, **settings) as (upstream, endpoint):
        exchange = Exchange()
        exchange.start()
        return await upstream.complete(b"{}", stream=streamed, exchange=exchange), exchange, endpoint


async def test_an_answer_and_its_very_bytes() -> None:
    result, exchange, endpoint = await ask(says("C"))
    assert isinstance(result, Answer)
    assert result.text == "C"
    assert bytes(exchange.received) == stream("C")
    assert [tried.status for tried in exchange.tries] == [200]
    assert exchange.tries[0].trouble is None
    assert (endpoint.asked[0].method, endpoint.asked[0].path) == ("POST", "/v1/chat/completions")


async def test_the_key_stands_in_the_header_only() -> None:
    _, _, endpoint = await ask(says("C"))
    headers = dict(endpoint.asked[0].headers)
    assert headers.pop("Authorization") == f"Bearer {KEY}"
    assert KEY not in str(headers) + endpoint.asked[0].raw.decode()


@pytest.mark.parametrize(
    "bad",
    [
        fails(500, "boom"),
        fails(503, "overloaded"),
        fails(429, "slow down"),
        sends(CUT),
        says("half", finish="abort"),
        sends(chunk({"content": "a"}) + DONE),
        sends(b'data: {"error": {"message": "engine dead", "code": 500}}\n\n' + DONE),
        sends(b"<html>busy</html>", kind="text/html"),
        sends(b'{"choices": [{"message": {"content": "C"}, "finish_reason": "stop"}]}', kind="application/json"),
        sends(b""),
        sends(b"", status=204),
        breaks_off(chunk({"content": "half"})),
        sends(b"not gzip", headers={"Content-Encoding": "gzip"}),
    ],
)
async def test_what_another_try_can_help_is_tried_again(bad: Act) -> None:
    result, exchange, endpoint = await ask(bad, says("C"))
    assert isinstance(result, Answer)
    assert bytes(exchange.received) == stream("C")
    assert len(endpoint.asked) == 2
    assert exchange.tries[0].trouble


@pytest.mark.parametrize(
    ("bad", "kind", "status"),
    [
        (fails(500, "boom"), "broken", 500),
        (fails(429, "slow down", {"Retry-After": "0"}), "overloaded", 429),
        (sends(CUT), "broken", 200),
        (breaks_off(CUT), "broken", 200),
    ],
)
async def test_tries_are_bounded(bad: Act, kind: str, status: int) -> None:
    result, exchange, endpoint = await ask(bad)
    assert isinstance(result, Failure)
    assert (result.kind, result.status) == (kind, status)
    assert len(endpoint.asked) == len(exchange.tries) == 3


@pytest.mark.parametrize(
    ("bad", "kind"),
    [
        (fails(400, "This model's maximum context length is 8192 tokens."), "overflow"),
        (fails(400, "Too long.", code="context_length_exceeded"), "overflow"),
        (fails(400, "Some other thing."), "refused"),
        (fails(401, "Who are you?"), "refused"),
        (fails(413, "Too much."), "too-large"),
        (sends(b"", 307, headers={"Location": "/v1/elsewhere"}), "refused"),
        (sends(b'data: {"error": {"message": "bad image", "code": 400}}\n\n'), "refused"),
    ],
)
async def test_what_no_other_try_can_help_is_asked_once(bad: Act, kind: str) -> None:
    result, _, endpoint = await ask(bad)
    assert isinstance(result, Failure)
    assert result.kind == kind
    assert len(endpoint.asked) == 1


async def test_retry_after_is_honoured_up_to_the_limit() -> None:
    started = time.monotonic()
    await ask(fails(429, "", {"Retry-After": "3600"}), says("C"), backoff=Backoff(first=0.01, most=0.4))
    assert 0.25 < time.monotonic() - started < 5


async def test_an_endpoint_that_never_answers_is_given_up() -> None:
    result, exchange, _ = await ask(hangs(), stall=0.1, attempts=2)
    assert isinstance(result, Failure)
    assert (result.kind, result.status, result.words) == ("silent", None, "nothing came for 0.1 s")
    assert len(exchange.tries) == 2


async def test_an_endpoint_that_stops_in_mid_answer_is_given_up() -> None:
    result, exchange, _ = await ask(hangs(CUT), stall=0.1, attempts=1)
    assert isinstance(result, Failure)
    assert (result.kind, result.status) == ("silent", 200)
    assert bytes(exchange.received) == CUT


async def test_slow_but_steady_is_no_silence() -> None:
    async def drips(request: Any) -> Any:
        from aiohttp import web

        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for at in range(0, len(stream("C")), 100):
            await response.write(stream("C")[at : at + 100])
            await asyncio.sleep(0.1)
        return response

    result, exchange, _ = await ask(drips, stall=0.4, attempts=1)
    assert isinstance(result, Answer)
    assert exchange.heard - exchange.since > 0.3


async def test_nobody_there() -> None:
    async with Endpoint([says("C")]) as endpoint:
        url = endpoint.url
    async with Upstream(policy(url), GatewaySettings(attempts=2, backoff=Backoff(first=0.01))) as upstream:
        exchange = Exchange()
        result = await upstream.complete(b"{}", stream=True, exchange=exchange)
    assert isinstance(result, Failure)
    assert (result.kind, result.status, len(exchange.tries)) == ("unreachable", None, 2)


async def test_a_response_without_end_is_cut_and_not_asked_for_again() -> None:
    endless = chunk({"content": "x" * 1000}) * 300
    result, exchange, endpoint = await ask(sends(endless), max_response=100_000)
    assert isinstance(result, Failure)
    assert result.kind == "refused"
    assert "100000 bytes" in result.words
    assert len(exchange.received) < 300_000
    assert len(endpoint.asked) == 1


async def test_a_small_response_that_unpacks_to_a_giant_is_cut() -> None:
    packed = gzip.compress(b"data: " + bytes(50_000_000))
    result, exchange, _ = await ask(
        sends(packed, headers={"Content-Encoding": "gzip"}), max_response=100_000, attempts=1
    )
    assert isinstance(result, Failure)
    assert len(exchange.received) < 5_000_000


@pytest.mark.parametrize(("coding", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
async def test_a_compressed_response_is_unpacked(coding: str, pack: Any) -> None:
    result, exchange, endpoint = await ask(sends(pack(stream("C")), headers={"Content-Encoding": coding}))
    assert isinstance(result, Answer)
    assert bytes(exchange.received) == stream("C")
    assert endpoint.asked[0].headers["Accept-Encoding"] == "identity"


async def test_redirects_are_not_followed() -> None:
    async with Endpoint([says("elsewhere")]) as other:
        result, _, _ = await ask(sends(b"", 308, headers={"Location": other.url + "/chat/completions"}))
        assert isinstance(result, Failure)
        assert other.asked == []


async def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Endpoint([says("proxy")]) as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        result, _, _ = await ask(says("C"))
        assert isinstance(result, Answer)
        assert proxy.asked == []


async def test_cookies_are_not_kept() -> None:
    _, _, endpoint = await ask(fails(500, "", {"Set-Cookie": "a=b"}), says("C"))
    assert "Cookie" not in endpoint.asked[1].headers


async def test_an_echoed_key_is_in_nothing_that_is_kept() -> None:
    result, exchange, _ = await ask(fails(401, f"Incorrect API key provided: {KEY}."))
    assert isinstance(result, Failure)
    assert result.words == f"Incorrect API key provided: {'*' * len(KEY)}."
    assert KEY not in repr(result) + repr(exchange.tries) + bytes(exchange.received).decode()


async def test_an_answer_with_the_key_in_it_is_kept_without() -> None:
    result, exchange, _ = await ask(says(f"Your key is {KEY}"))
    assert isinstance(result, Answer)
    assert result.text == "Your key is " + "*" * len(KEY)
    assert bytes(exchange.received) == stream(f"Your key is {KEY}").replace(KEY.encode(), b"*" * len(KEY))


async def test_one_object_is_an_answer_where_no_stream_was_asked_for() -> None:
    data = b'{"choices": [{"message": {"content": "C"}, "finish_reason": "stop"}]}'
    result, _, endpoint = await ask(sends(data, kind="application/json"), streamed=False)
    assert isinstance(result, Answer)
    assert endpoint.asked[0].headers["Accept"] == "application/json"


async def test_who_is_cancelled_hangs_up_and_keeps_what_came() -> None:
    async with asking(hangs(CUT)) as (upstream, endpoint):
        exchange = Exchange()
        task = asyncio.create_task(upstream.complete(b"{}", stream=True, exchange=exchange))
        await until(lambda: bytes(exchange.received) == CUT)
        task.cancel()
        await until(endpoint.gone.is_set)
        assert task.cancelled()
    assert [(tried.status, tried.trouble) for tried in exchange.tries] == [(200, "cancelled")]


async def test_who_is_cancelled_between_two_tries_keeps_the_first() -> None:
    async with asking(fails(500, "boom"), backoff=Backoff(first=60)) as (upstream, _):
        exchange = Exchange()
        task = asyncio.create_task(upstream.complete(b"{}", stream=True, exchange=exchange))
        await until(lambda: exchange.tries)
        task.cancel()
        await asyncio.wait((task,))
    assert [tried.trouble for tried in exchange.tries] == ["broken: boom"]
    assert exchange.trouble == "broken: boom"


def test_with_tls_certificates_are_checked() -> None:
    context = _trust("https://h/v1/chat/completions")
    assert isinstance(context, ssl.SSLContext)
    assert context.verify_mode == ssl.CERT_REQUIRED
    assert context.check_hostname


async def test_an_early_413_is_understood() -> None:
    """Some servers refuse a large body before they have read it."""

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nno!")
        await writer.drain()
        while await reader.read(1 << 16):
            pass
        writer.close()

    server = await asyncio.start_server(refuse, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, Upstream(policy(f"http://127.0.0.1:{port}/v1"), GatewaySettings(attempts=1)) as upstream:
        result = await upstream.complete(b"x" * 10_000_000, stream=True, exchange=Exchange())
    assert isinstance(result, Failure)
    assert (result.kind, result.status, result.words) == ("too-large", 413, "no!")
