import json
from typing import Any

import pytest

from tests.gateway.bodies import body, opening
from tests.gateway.conftest import Gateway
from tests.gateway.scripted import fails, says, sends, stream


async def test_signs_of_life_come_before_the_very_bytes(gateway: Gateway) -> None:
    sandbox = await gateway(says("C", wait=0.5), heartbeat=0.1)
    got = await sandbox.post(body(opening()))
    assert got.status == 200
    assert got.headers["Content-Type"] == "text/event-stream"
    lives, _, rest = got.body.partition(b"data:")
    assert set(lives.split(b"\n\n")) == {b": waiting", b""}
    assert lives.count(b": waiting") >= 2
    assert b"data:" + rest == sandbox.talk.calls[0].response == stream("C")


async def test_a_failure_after_a_sign_of_life_is_an_event(gateway: Gateway) -> None:
    sandbox = await gateway(sends(b'{"error": {"message": "Some thing."}}', 400, wait=0.3), heartbeat=0.1)
    got = await sandbox.post(body(opening()))
    assert got.status == 200
    event = json.loads(got.body.rpartition(b"data: ")[2])
    assert event["error"]["message"] == "Some thing."


async def test_who_asked_for_no_stream_gets_one_object_and_no_signs_of_life(gateway: Gateway) -> None:
    data = b'{"choices": [{"message": {"content": "C"}, "finish_reason": "stop"}]}'
    sandbox = await gateway(sends(data, kind="application/json", wait=0.3), heartbeat=0.1)
    got = await sandbox.post(body(opening(), stream=False))
    assert (got.status, got.body, got.headers["Content-Type"]) == (200, data, "application/json")
    assert sandbox.talk.chain().answer == "C"


async def test_a_dead_endpoint_is_a_400_and_ends_the_talk(gateway: Gateway) -> None:
    sandbox = await gateway(fails(503, "The server is overloaded, rate limit."))
    got = await sandbox.post(body(opening()))
    assert got.status == 400
    # OpenCode would try again if it read of overload or limits.
    assert got.json()["error"]["message"] == "the model's endpoint gave no answer"
    assert len(sandbox.endpoint.asked) == 3
    assert sandbox.talk.failed.is_set()
    failure = sandbox.talk.failure
    assert failure is not None
    assert (failure.kind, failure.status, failure.call, failure.opening) == ("overloaded", 503, 0, True)
    assert sandbox.talk.failure_of(sandbox.talk.chain()) == failure


@pytest.mark.parametrize(
    ("act", "code"),
    [
        (fails(400, "This model's maximum context length is 8192 tokens."), "context_length_exceeded"),
        (fails(400, "the request exceeds the available context size"), "context_length_exceeded"),
        (fails(413, "Too much."), "upstream_refused"),
        (fails(404, "No such model."), "upstream_refused"),
    ],
)
async def test_the_endpoints_own_words_reach_the_agent(gateway: Gateway, act: Any, code: str) -> None:
    sandbox = await gateway(act)
    got = await sandbox.post(body(opening()))
    assert got.status == 400
    failure = sandbox.talk.failure
    assert failure is not None
    assert got.json()["error"] == {"message": failure.words, "type": "invalid_request_error", "code": code}
    assert len(sandbox.endpoint.asked) == 1
