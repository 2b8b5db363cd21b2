import asyncio
import time
from typing import Any

import pytest

from harness.gateway import Failure
from tests.gateway.bodies import body, opening, turn
from tests.gateway.conftest import Gateway, Sandbox, until
from tests.gateway.scripted import Act, fails, hangs, says, sends, stream

CALL = ("c1", "bash", "{}")
NEXT = [*opening(), *turn("", [CALL], ["x"])]


async def waiting(sandbox: Sandbox, messages: list[Any]) -> "asyncio.Task[Any]":
    """Posts and returns as soon as the endpoint has the request."""
    before = len(sandbox.endpoint.asked)
    task = asyncio.create_task(sandbox.post(body(messages)))
    await until(lambda: len(sandbox.endpoint.asked) > before)
    return task


async def test_silence_is_readable_at_any_moment(gateway: Gateway) -> None:
    sandbox = await gateway(hangs())
    assert sandbox.talk.waiting_since is None
    assert sandbox.talk.silent_for() == 0
    task = await waiting(sandbox, opening())
    await asyncio.sleep(0.3)
    assert 0.25 < sandbox.talk.silent_for() < 5
    assert sandbox.talk.waiting_since is not None
    assert sandbox.talk.waiting_since < time.monotonic() - 0.25
    task.cancel()
    await sandbox.end()
    assert sandbox.talk.silent_for() == 0
    assert sandbox.talk.waiting_since is None
    assert 0.25 < sandbox.talk.waited() < 5


async def test_silence_begins_anew_with_each_byte_and_not_with_each_try(gateway: Gateway) -> None:
    sandbox = await gateway(fails(500, "boom"), hangs(), stall=0.3, attempts=4)
    task = await waiting(sandbox, opening())
    await until(lambda: len(sandbox.endpoint.asked) == 4)
    assert sandbox.talk.silent_for() > 0.55  # two tries of 0.3 s
    assert sandbox.talk.troubled() == "silent: nothing came for 0.3 s"
    await task
    assert sandbox.talk.troubled() is None


async def test_only_the_conversation_waits(gateway: Gateway) -> None:
    sandbox = await gateway(hangs())
    task = await waiting(sandbox, opening(prompt="Something else."))
    await asyncio.sleep(0.1)
    assert sandbox.talk.silent_for() == 0
    assert sandbox.talk.waiting_since is None
    assert sandbox.talk.waited() > 0.05
    task.cancel()
    await sandbox.end()


async def test_time_spent_waiting_is_summed_up_once_for_calls_at_once(gateway: Gateway) -> None:
    sandbox = await gateway(says("C", wait=0.5))
    await asyncio.gather(*(sandbox.post(body(opening())) for _ in range(3)))
    await asyncio.sleep(0.2)
    await sandbox.post(body(opening()))
    assert 0.95 < sandbox.talk.waited() < 1.9


async def test_calls_are_counted_off_the_chain_too(gateway: Gateway) -> None:
    sandbox = await gateway(says("C"), max_calls=2)
    await sandbox.post(body(opening(prompt="Something else.")))
    assert sandbox.talk.exhausted is None
    await sandbox.post(body(opening()))
    assert sandbox.talk.exhausted == "calls"
    got = await sandbox.post(body(opening()))
    assert (got.status, len(sandbox.endpoint.asked)) == (403, 2)
    assert "calls" in sandbox.talk.refusals[0].reason
    assert not sandbox.talk.failed.is_set()


async def test_tokens_are_counted_off_the_chain_too(gateway: Gateway) -> None:
    sandbox = await gateway(says("C"), max_tokens=10)
    await sandbox.post(body(opening(prompt="Something else.")))
    assert sandbox.talk.tokens == 5
    await sandbox.post(body(opening()))
    assert (await sandbox.post(body(opening()))).status == 403
    assert sandbox.talk.exhausted == "tokens"


async def test_tokens_are_estimated_where_the_endpoint_counts_none(gateway: Gateway) -> None:
    data = b'data: {"choices": [{"delta": {"content": "%s"}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n' % (
        b"x" * 400
    )
    sandbox = await gateway(sends(data))
    await sandbox.post(body(opening()))
    assert sandbox.talk.tokens == 100


async def test_the_record_is_bounded(gateway: Gateway) -> None:
    sandbox = await gateway(says("C"), max_record=3000)
    while (await sandbox.post(body(opening()))).status == 200:
        assert len(sandbox.talk.calls) < 20
    assert sandbox.talk.exhausted == "record"


@pytest.mark.parametrize("act", [fails(500, "boom"), fails(400, "bad image"), fails(413, "big"), sends(b"")])
async def test_a_later_failure_that_content_can_bring_about_does_not_end_the_talk(gateway: Gateway, act: Act) -> None:
    sandbox = await gateway(says("", [CALL]), act)
    await sandbox.post(body(opening()))
    got = await sandbox.post(body(NEXT))
    assert got.status == 400
    assert not sandbox.talk.failed.is_set()
    chain = sandbox.talk.chain()
    assert (chain.calls, chain.unanswered) == ((0,), (1,))
    failure = sandbox.talk.failure_of(chain)
    assert failure is not None
    assert (failure.call, failure.opening) == (1, False)


@pytest.mark.parametrize("act", [fails(503, "down"), fails(429, "slow"), hangs()])
async def test_a_later_failure_to_reach_the_endpoint_ends_the_talk(gateway: Gateway, act: Act) -> None:
    sandbox = await gateway(says("", [CALL]), act, stall=0.1)
    await sandbox.post(body(opening()))
    await sandbox.post(body(NEXT))
    assert sandbox.talk.failed.is_set()
    assert isinstance(sandbox.talk.failure, Failure)


async def test_a_failure_beside_the_conversation_is_only_recorded(gateway: Gateway) -> None:
    sandbox = await gateway(says("", [CALL]), fails(503, "down"), fails(503, "down"), fails(503, "down"), says("C"))
    await sandbox.post(body(opening()))
    got = await sandbox.post(body(opening(prompt="Something else.")))
    assert got.status == 400
    assert not sandbox.talk.failed.is_set()
    await sandbox.post(body(NEXT))
    chain = sandbox.talk.chain()
    assert (chain.answer, chain.off_chain) == ("C", (1,))
    assert sandbox.talk.failure_of(chain) is None
    assert sandbox.talk.calls[1].failure is not None


async def test_a_failure_that_a_shell_brought_about_is_not_the_chains(gateway: Gateway) -> None:
    forged = [*opening(), *turn("", [CALL], ["forged"])]
    sandbox = await gateway(says("", [CALL]), fails(400, "bad image"), says("C"))
    await sandbox.post(body(opening()))
    await sandbox.post(body(forged))
    await sandbox.post(body(NEXT))
    chain = sandbox.talk.chain()
    assert (chain.calls, chain.answer) == ((0, 2), "C")
    assert sandbox.talk.failure_of(chain) is None


async def test_large_bodies_are_held_once(gateway: Gateway) -> None:
    sandbox = await gateway(says("C"), max_record=3_000_000)
    large = [*opening(), *turn("", [CALL], ["x" * 500_000])]
    for _ in range(20):
        assert (await sandbox.post(body(large))).status == 200
    assert all(call.request_body == sandbox.talk.calls[0].request_body for call in sandbox.talk.calls)
    assert stream("C") == sandbox.talk.calls[-1].response
