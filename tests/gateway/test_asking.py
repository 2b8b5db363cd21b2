"""An endpoint that fails, and a request that an endpoint fails on."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from harness.gateway import Failure, Talk
from tests.gateway.bodies import body, opening, turn
from tests.gateway.conftest import Sandbox, until
from tests.gateway.scripted import Act, breaks_off, chunk, fails, hangs, says, sends

Gateway = Callable[..., Awaitable[Sandbox]]

CALL = ("c1", "bash", '{"command":"ls"}')
NEXT = [*opening(), *turn("", [CALL], ["a.png"])]
HANGS = hangs()
IN_A_STREAM = sends(b'data: {"error": {"message": "boom", "code": 500}}\n\n')


def by_content(later: Act, control: Act) -> Act:
    """Answers the opening with a tool call, then does one thing to later requests, another to the opening again."""
    seen = []

    async def act(request: Any) -> Any:
        messages = json.loads(await request.read())["messages"]
        if any(message["role"] == "tool" for message in messages):
            return await later(request)
        seen.append(request)
        return await (says("", [CALL]) if len(seen) == 1 else control)(request)

    return act


async def failure_after(gateway: Gateway, later: Act, control: Act, **settings: Any) -> tuple[Sandbox, Failure | None]:
    sandbox = await gateway(by_content(later, control), **settings)
    await sandbox.post(body(opening()))
    await sandbox.post(body(NEXT))
    return sandbox, _failure(sandbox.talk)


def _failure(talk: Talk) -> Failure | None:
    return talk.failure_of(talk.chain())


@pytest.mark.parametrize("later", [fails(400, "boom"), fails(403, "boom"), sends(b"boom", 302)])
async def test_a_refusal_while_another_request_is_taken_is_of_what_it_holds(gateway: Gateway, later: Act) -> None:
    sandbox, failure = await failure_after(gateway, later, says("C"))
    assert failure is not None
    assert (failure.kind, failure.alone, failure.words) == ("refused", True, "boom")
    # the opening, the refusal, the control, the refusal again
    assert len(sandbox.endpoint.asked) == 4


@pytest.mark.parametrize("later", [fails(400, "no credit"), fails(403, "key limit exceeded"), sends(b"log in", 302)])
async def test_an_endpoint_that_refuses_the_control_too_refuses_us(gateway: Gateway, later: Act) -> None:
    sandbox, failure = await failure_after(gateway, later, later)
    assert failure is not None
    assert (failure.kind, failure.alone) == ("refused", False)
    assert len(sandbox.endpoint.asked) == 3


@pytest.mark.parametrize("later", [fails(500, "boom"), fails(501, "boom"), IN_A_STREAM])
async def test_a_request_that_fails_while_another_is_answered_fails_alone(gateway: Gateway, later: Act) -> None:
    sandbox, failure = await failure_after(gateway, later, says("C"))
    assert failure is not None
    assert (failure.kind, failure.alone, failure.words) == ("broken", True, "boom")
    # the opening, three tries, the control, three more tries
    assert len(sandbox.endpoint.asked) == 8
    assert len(sandbox.talk.calls) == 2
    assert len(sandbox.talk.calls[1].tries) == 6


async def test_the_control_is_the_opening_for_a_few_tokens(gateway: Gateway) -> None:
    sandbox, _ = await failure_after(gateway, fails(500, "boom"), says("C"))
    first, control = sandbox.endpoint.asked[0].body, sandbox.endpoint.asked[4].body
    assert control == {**first, "max_tokens": 16}


async def test_the_control_keeps_to_the_name_of_the_output_limit(gateway: Gateway) -> None:
    sampling = {"max_completion_tokens": 900}
    sandbox, _ = await failure_after(gateway, fails(500, "boom"), says("C"), sampling=sampling)
    first, control = sandbox.endpoint.asked[0].body, sandbox.endpoint.asked[4].body
    assert control == {**first, "max_completion_tokens": 16}


@pytest.mark.parametrize("control", [fails(500, "boom"), fails(503, "busy"), fails(400, "no"), sends(b"")])
async def test_an_endpoint_that_fails_the_control_too_is_in_trouble(gateway: Gateway, control: Act) -> None:
    sandbox, failure = await failure_after(gateway, fails(500, "boom"), control)
    assert failure is not None
    assert not failure.alone
    assert len(sandbox.endpoint.asked) == 5


@pytest.mark.parametrize("later", [fails(503, "busy"), fails(429, "slow"), breaks_off(chunk({"content": "I"}))])
async def test_load_and_cuts_prove_nothing_about_a_request(gateway: Gateway, later: Act) -> None:
    sandbox, failure = await failure_after(gateway, later, says("C"))
    assert failure is not None
    assert not failure.alone
    assert len(sandbox.endpoint.asked) == 4


async def test_an_endpoint_that_has_come_back_answers(gateway: Gateway) -> None:
    acts = [says("", [CALL]), *[fails(500, "boom")] * 3, says("control"), says("C")]
    sandbox = await gateway(*acts)
    await sandbox.post(body(opening()))
    assert (await sandbox.post(body(NEXT))).status == 200
    chain = sandbox.talk.chain()
    assert (chain.calls, chain.answer) == ((0, 1), "C")


async def test_nothing_is_asked_beside_what_is_not_the_conversation(gateway: Gateway) -> None:
    sandbox = await gateway(says("", [CALL]), fails(500, "boom"))
    await sandbox.post(body(opening()))
    await sandbox.post(body(opening(prompt="Something else.")))
    assert len(sandbox.endpoint.asked) == 4


async def test_the_opening_that_fails_is_no_requests_doing(gateway: Gateway) -> None:
    sandbox = await gateway(fails(500, "boom"))
    await sandbox.post(body(opening()))
    assert sandbox.talk.failure is not None
    assert not sandbox.talk.failure.alone
    assert len(sandbox.endpoint.asked) == 3


@pytest.mark.parametrize(
    ("later", "control", "alone"),
    [
        (fails(500, "boom"), says("C"), True),
        (fails(500, "boom"), fails(500, "boom"), False),
        (fails(500, "boom"), hangs(), False),
        (fails(503, "busy"), says("C"), False),
        (HANGS, says("C"), False),
    ],
)
@pytest.mark.parametrize("hangs_up", [True, False])
async def test_a_talk_that_ends_while_the_endpoint_fails(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch, later: Act, control: Act, alone: bool, hangs_up: bool
) -> None:
    """When the time is up the sandbox is killed first: its end of the connection is gone before the talk ends."""
    monkeypatch.setattr("harness.gateway.asking._CONTROL_SECONDS", 0.3)
    sandbox = await gateway(by_content(later, control), attempts=1000)
    await sandbox.post(body(opening()))
    asking = asyncio.create_task(sandbox.post(body(NEXT)))
    await until(lambda: len(sandbox.endpoint.asked) > (1 if later is HANGS else 3))
    if hangs_up:
        asking.cancel()
        await until(lambda: sandbox.talk.calls[1].state == "cancelled")
    await sandbox.end()
    await asyncio.gather(asking, return_exceptions=True)
    call = sandbox.talk.calls[1]
    assert (call.state, call.alone) == ("cancelled", alone)
