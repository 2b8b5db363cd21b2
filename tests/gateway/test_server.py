import asyncio
import hashlib
import json
import time

import pytest

from harness.gateway import Chain, Opening, Witness, connected, serve
from harness.gateway.settings import GatewaySettings
from tests.gateway.bodies import PNG, PROMPT, body, fields, opening, turn
from tests.gateway.conftest import KEY, Gateway, listener, policy, until
from tests.gateway.scripted import Endpoint, fails, hangs, says, stream


async def test_a_talk_from_the_opening_to_the_answer(gateway: Gateway) -> None:
    call = ("c1", "bash", '{"command":"ls"}')
    sandbox = await gateway(says("Look.", [call]), says("C"))
    first = await sandbox.post(body(opening()))
    second = await sandbox.post(body([*opening(), *turn("Look.", [call], ["x"])]))
    assert (first.status, first.body) == (200, stream("Look.", [call]))
    assert (second.status, second.body) == (200, stream("C"))
    assert first.headers["Content-Type"] == "text/event-stream"
    talk = sandbox.talk
    assert talk.chain(Witness(("Look.", "C"), ("c1",))) == Chain((0, 1), "C", "stop", True, (), ())
    assert [made.state for made in talk.calls] == ["answered", "answered"]
    assert [made.response for made in talk.calls] == [first.body, second.body]
    assert talk.calls[0].started_ns <= talk.calls[0].ended_ns <= talk.calls[1].started_ns
    assert talk.first_call.is_set()
    assert not talk.failed.is_set()
    assert talk.refusals == ()


async def test_the_record_has_the_sandboxs_bytes_with_the_date_pinned(gateway: Gateway) -> None:
    sandbox = await gateway(says("C"))
    await sandbox.post(body(opening()))
    recorded = sandbox.talk.calls[0].request_body
    assert recorded == body(opening()).replace(b"Sun Nov 29 2026", b"Thu Jan 01 2026")
    assert sandbox.endpoint.asked[0].body["messages"] == json.loads(recorded)["messages"]
    assert sandbox.endpoint.asked[0].body["model"] == "real-model"


async def test_two_talks_on_two_days_have_the_same_record(gateway: Gateway) -> None:
    records = []
    for date in (b"Sun Nov 29 2026", b"Mon Nov 30 2026"):
        sandbox = await gateway(says("C"))
        await sandbox.post(body(opening()).replace(b"Sun Nov 29 2026", date))
        records.append(sandbox.talk.calls[0].request_body)
    assert records[0] == records[1]


async def test_the_key_the_real_name_and_the_host_are_in_no_record(gateway: Gateway) -> None:
    sandbox = await gateway(fails(401, f"bad key {KEY}"), says("C"))
    refused = await sandbox.post(body(opening()))
    await sandbox.post(body(opening()))
    talk = sandbox.talk
    assert (
        KEY
        not in repr(talk.calls) + repr(talk.refusals) + repr(talk.failure) + repr(vars(talk)) + refused.body.decode()
    )
    for call in talk.calls:
        assert KEY.encode() not in call.request_body + call.response
        assert b"real-model" not in call.request_body
        assert sandbox.endpoint.url.encode() not in call.request_body


async def test_the_models_are_the_alias(gateway: Gateway) -> None:
    sandbox = await gateway(says("C"))
    got = await sandbox.ask("GET", "/v1/models")
    assert got.status == 200
    assert [model["id"] for model in got.json()["data"]] == ["vlm"]
    assert sandbox.endpoint.asked == []
    assert sandbox.talk.refusals == ()


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/chat/completions", 405),
        ("PUT", "/v1/chat/completions", 405),
        ("DELETE", "/v1/models", 405),
        ("POST", "/v1/models", 405),
        ("POST", "/v1/chat/completions?x=1", 404),
        ("POST", "/v1/chat/completions/", 404),
        ("POST", "/v1/responses", 404),
        ("POST", "/v1/embeddings", 404),
        ("POST", "/v1/files", 404),
        ("GET", "/v1/files/file-1", 404),
        ("GET", "/v1/models/vlm", 404),
        ("GET", "/metrics", 404),
        ("GET", "/", 404),
        ("OPTIONS", "/v1/chat/completions", 405),
        ("HEAD", "/v1/models", 405),
        ("PATCH", "/coffee", 404),
    ],
)
async def test_any_other_route_is_refused_and_recorded(gateway: Gateway, method: str, path: str, status: int) -> None:
    sandbox = await gateway(says("C"))
    got = await sandbox.ask(method, path, b'{"a": 1}' if method == "POST" else b"")
    (refusal,) = sandbox.talk.refusals
    assert (got.status, refusal.status, refusal.method, refusal.path) == (status, status, method, path)
    assert sandbox.endpoint.asked == []
    assert sandbox.talk.calls == ()
    if method == "POST":
        assert refusal.excerpt == '{"a": 1}'


async def test_a_refusal_says_why_and_keeps_what_was_sent(gateway: Gateway) -> None:
    sandbox = await gateway(says("C"))
    sent = body(opening(), n=5)
    got = await sandbox.post(sent)
    (refusal,) = sandbox.talk.refusals
    assert got.status == 400
    assert got.json()["error"]["message"] == refusal.reason == "n is 5; allowed is 1"
    assert (refusal.size, refusal.sha256) == (len(sent), hashlib.sha256(sent).hexdigest())
    assert sent.decode().startswith(refusal.excerpt[:100])
    assert len(refusal.excerpt) <= 500


async def test_refusals_are_all_counted_and_the_first_ones_kept(gateway: Gateway) -> None:
    sandbox = await gateway(says("C"), max_refusals=3)
    for _ in range(5):
        await sandbox.ask("GET", "/x")
    assert [refusal.index for refusal in sandbox.talk.refusals] == [0, 1, 2]
    assert sandbox.talk.refused == 5


async def test_who_hangs_up_takes_the_call_to_the_endpoint_along(gateway: Gateway) -> None:
    sandbox = await gateway(hangs(stream("half")[:60]))
    task = asyncio.create_task(sandbox.post(body(opening())))
    await until(lambda: sandbox.endpoint.asked)
    await asyncio.sleep(0.1)
    task.cancel()
    await until(sandbox.endpoint.gone.is_set)
    await until(lambda: sandbox.talk.calls[0].state != "waiting")
    (call,) = sandbox.talk.calls
    assert (call.state, call.status, call.response) == ("cancelled", 200, stream("half")[:60])
    assert sandbox.talk.chain().unanswered == (0,)
    assert sandbox.talk.silent_for() == 0
    assert not sandbox.talk.failed.is_set()


async def test_the_end_of_the_talk_ends_what_is_in_flight_and_records_it(gateway: Gateway) -> None:
    sandbox = await gateway(hangs(b": hello\n\n"))
    task = asyncio.create_task(sandbox.post(body(opening())))
    await until(lambda: sandbox.endpoint.asked)
    await asyncio.sleep(0.1)
    await sandbox.end()
    await until(sandbox.endpoint.gone.is_set)
    (call,) = sandbox.talk.calls
    assert (call.state, call.status, call.response) == ("cancelled", 200, b": hello\n\n")
    assert call.ended_ns > call.started_ns
    assert [tried.trouble for tried in call.tries] == ["cancelled"]
    await asyncio.wait((task,))
    with pytest.raises(OSError):  # noqa: PT011 - nobody answers there any more
        await asyncio.wait_for(sandbox.ask("GET", "/v1/models"), 1)


async def test_the_end_is_soon_even_if_a_client_is_slow(gateway: Gateway) -> None:
    sandbox = await gateway(says("C"))
    _, writer = await asyncio.open_connection(*sandbox.address)
    writer.write(b"POST /v1/chat/completions HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{")
    await asyncio.sleep(0.1)
    started = time.monotonic()
    await sandbox.end()
    assert time.monotonic() - started < 3
    writer.close()


async def test_the_listener_stays_its_owners() -> None:
    sock = listener()
    async with Endpoint([says("C")]) as endpoint:
        for _ in range(2):
            async with (
                connected(policy(endpoint.url), GatewaySettings()) as source,
                serve(sock, source, Opening(PROMPT, (PNG,)), GatewaySettings()),
            ):
                pass
    assert sock.fileno() >= 0
    sock.close()


async def test_an_error_of_the_gateways_own_ends_the_talk(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_: object) -> bytes:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr("harness.gateway.asking.upstream_body", breaks)
    sandbox = await gateway(says("C"))
    got = await sandbox.post(body(opening()))
    assert got.status == 400
    assert sandbox.talk.failed.is_set()
    assert sandbox.talk.failure is not None
    assert "ZeroDivisionError" in sandbox.talk.failure.words
    assert sandbox.talk.calls[0].state == "cancelled"


async def test_calls_at_once_are_bounded(gateway: Gateway) -> None:
    sandbox = await gateway(says("C", wait=0.3), max_in_flight=2)
    tasks = [asyncio.create_task(sandbox.post(json.dumps(fields(opening())).encode())) for _ in range(4)]
    await asyncio.sleep(0.2)
    assert len(sandbox.talk.calls) == 4
    assert len(sandbox.endpoint.asked) == 2
    await asyncio.gather(*tasks)
    assert len(sandbox.endpoint.asked) == 4


async def test_requests_that_wait_are_bounded_in_bytes(gateway: Gateway) -> None:
    one = len(body(opening()))
    sandbox = await gateway(says("C", wait=0.5), max_waiting=2 * one)
    got = await asyncio.gather(*(sandbox.post(body(opening())) for _ in range(4)))
    assert sorted(response.status for response in got) == [200, 200, 413, 413]
    assert "under way" in sandbox.talk.refusals[0].reason
    assert (await sandbox.post(body(opening()))).status == 200
