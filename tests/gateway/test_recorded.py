"""A talk is recorded as an attempt's is, and the same requests are answered from the record."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from harness.agents.opencode import outcomes
from harness.agents.task import Task, neutral_names
from harness.gateway import Backoff, Failure, GatewaySettings, Opening, Recorded, Talk, Unrecorded, serve
from harness.gateway.source import Source
from harness.run import recording
from harness.run.recording import Played
from harness.store.blobs import Blobs
from harness.store.record import AttemptRecord
from harness.store.replay import Replay
from tests.gateway.bodies import PNG, PROMPT, body, opening, turn
from tests.gateway.conftest import Sandbox, listener, until
from tests.gateway.scripted import Act, Endpoint, breaks_off, chunk, fails, hangs, says, sends

Gateway = Callable[..., Awaitable[Sandbox]]

CALL = ("c1", "bash", '{"command":"ls"}')
NEXT = [*opening(), *turn("Look.", [CALL], ["a.png"])]
SETTINGS = GatewaySettings(backoff=Backoff(first=0.01, most=0.05))
OVERFLOW = "This model's maximum context length is 8192 tokens."


@pytest.fixture
def blobs(tmp_path: Path) -> Blobs:
    return Blobs(tmp_path / "blobs")


def kept(blobs: Blobs, talk: Talk, kind: outcomes.Kind = "answered") -> Replay:
    """The record of a talk, as it is read from its file."""
    played = Played(started_ns=1, ended_ns=2, outcome=outcomes.of(kind), calls=talk.calls, chain=talk.chain())
    record = recording.write(blobs, Task("7", PROMPT, neutral_names([PNG]), 60), 2, played)
    return Replay(AttemptRecord.from_bytes(record.to_bytes()), blobs)


@asynccontextmanager
async def replaying(source: Source) -> AsyncIterator[Sandbox]:
    sock = listener()
    async with serve(sock, source, Opening(PROMPT, (PNG,)), SETTINGS) as talk:
        yield Sandbox(talk, Endpoint([]), sock.getsockname(), None)  # type: ignore[arg-type]
    sock.close()


def content(blobs: Blobs, talk: Talk) -> Any:
    return kept(blobs, talk).record.content


async def test_a_conversation_comes_back_byte_for_byte(gateway: Gateway, blobs: Blobs) -> None:
    live = await gateway(says("Look.", [CALL]), says("C"))
    asked = (body(opening()), body(NEXT))
    answers = [await live.post(data) for data in asked]
    async with replaying(Recorded(kept(blobs, live.talk), SETTINGS)) as sandbox:
        assert [(got.status, got.body) for got in answers] == [
            (got.status, got.body) for got in [await sandbox.post(data) for data in asked]
        ]
    assert sandbox.talk.chain() == live.talk.chain()
    assert content(blobs, sandbox.talk).digest == content(blobs, live.talk).digest


@pytest.mark.parametrize(
    "act",
    [
        fails(400, "boom"),
        fails(500, "boom"),
        fails(503, "busy"),
        fails(400, OVERFLOW, code="context_length_exceeded"),
        sends(b"\xff<html>", 413),
        sends(b'data: {"error": {"message": "boom", "code": 500}}\n\n'),
        sends(chunk({"content": "half"})),
        breaks_off(chunk({"content": "half"})),
        hangs(),
        hangs(chunk({"content": "half"})),
    ],
)
async def test_a_failure_comes_back_as_the_same_failure(gateway: Gateway, blobs: Blobs, act: Act) -> None:
    live = await gateway(act, stall=0.2)
    got = await live.post(body(opening()))
    async with replaying(Recorded(kept(blobs, live.talk), SETTINGS)) as sandbox:
        again = await sandbox.post(body(opening()))
    assert (again.status, again.body) == (got.status, got.body) == (400, got.body)
    assert sandbox.talk.failure == live.talk.failure
    assert content(blobs, sandbox.talk).digest == content(blobs, live.talk).digest
    assert len(sandbox.talk.calls[0].tries) == 1


async def test_no_connection_comes_back_as_such(gateway: Gateway, blobs: Blobs) -> None:
    live = await gateway(says("C"))
    await live.endpoint.__aexit__()
    await live.post(body(opening()))
    async with replaying(Recorded(kept(blobs, live.talk), SETTINGS)) as sandbox:
        await sandbox.post(body(opening()))
    assert live.talk.failure is not None
    assert sandbox.talk.failure == live.talk.failure
    assert (live.talk.failure.kind, live.talk.failure.status) == ("unreachable", None)


async def test_a_request_that_failed_alone_fails_alone_again(gateway: Gateway, blobs: Blobs) -> None:
    live = await gateway(says("Look.", [CALL]), fails(400, "boom"), says("control"), fails(400, "boom"))
    for data in (body(opening()), body(NEXT)):
        await live.post(data)
    record = kept(blobs, live.talk, "request-refused")
    async with replaying(Recorded(record, SETTINGS)) as sandbox:
        for data in (body(opening()), body(NEXT)):
            await sandbox.post(data)
    failure = sandbox.talk.failure_of(sandbox.talk.chain())
    assert failure == live.talk.failure_of(live.talk.chain())
    assert isinstance(failure, Failure)
    assert failure.alone


async def test_equal_requests_get_their_answers_in_order(gateway: Gateway, blobs: Blobs) -> None:
    live = await gateway(says("A"), says("B"), fails(400, "no"))
    answers = [(await live.post(body(opening()))).body for _ in range(3)]
    assert len(set(answers)) == 3
    async with replaying(Recorded(kept(blobs, live.talk), SETTINGS)) as sandbox:
        assert [(await sandbox.post(body(opening()))).body for _ in range(3)] == answers
        assert (await sandbox.post(body(opening()))).status == 400
    assert sandbox.talk.failure is not None
    assert sandbox.talk.failure.kind == "not-recorded"
    assert "Request 3 of task '7', repeat 2, is not in the record so often: it stands there 3 times" in (
        sandbox.talk.failure.words
    )


async def test_what_the_deadline_cut_off_stays_open_till_the_deadline(gateway: Gateway, blobs: Blobs) -> None:
    live = await gateway(hangs(chunk({"content": "half"})))
    asking = asyncio.create_task(live.post(body(opening())))
    await until(lambda: live.talk.silent_for() > 0.1)
    await live.end()
    await asyncio.gather(asking, return_exceptions=True)
    assert live.talk.calls[0].state == "cancelled"
    async with replaying(Recorded(kept(blobs, live.talk), SETTINGS)) as sandbox:
        asking = asyncio.create_task(sandbox.post(body(opening())))
        await until(lambda: sandbox.talk.silent_for() > 0.1)
        assert not asking.done()
    await asyncio.gather(asking, return_exceptions=True)
    assert sandbox.talk.calls[0].state == "cancelled"
    assert content(blobs, sandbox.talk).digest == content(blobs, live.talk).digest


async def test_what_the_sandbox_gave_up_between_two_tries_stays_open(gateway: Gateway, blobs: Blobs) -> None:
    live = await gateway(fails(503, "busy"), backoff=Backoff(first=60))
    asking = asyncio.create_task(live.post(body(opening())))
    await until(lambda: live.endpoint.asked)
    await asyncio.sleep(0.1)
    asking.cancel()
    await until(lambda: live.talk.calls[0].state == "cancelled")
    async with replaying(Recorded(kept(blobs, live.talk), SETTINGS)) as sandbox:
        asking = asyncio.create_task(sandbox.post(body(opening())))
        await until(lambda: sandbox.talk.silent_for() > 0.1)
        assert not asking.done()
        asking.cancel()


async def test_a_request_that_is_not_there_ends_the_talk_and_says_where_it_departs(
    gateway: Gateway, blobs: Blobs
) -> None:
    live = await gateway(says("Look.", [CALL]), says("C"))
    for data in (body(opening()), body(NEXT)):
        await live.post(data)
    async with replaying(Recorded(kept(blobs, live.talk), SETTINGS)) as sandbox:
        await sandbox.post(body(opening()))
        assert not sandbox.talk.failed.is_set()
        other = [*opening(), *turn("Look.", [CALL], ["b.png"])]
        got = await sandbox.post(body(other))
    assert sandbox.talk.failed.is_set()
    assert sandbox.talk.failure == Failure(
        "not-recorded",
        None,
        "Request 1 of task '7', repeat 2, is not in the record. It departs from request 1 there at message 3 ('tool'), "
        "messages[3].content, character 0: the record has 'a.png', and this request 'b.png'.",
        call=1,
    )
    # what the record holds is nothing to the sandbox
    assert (got.status, "a.png" in json.dumps(got.json())) == (400, False)


async def test_the_first_word_that_differs_is_named(gateway: Gateway, blobs: Blobs) -> None:
    live = await gateway(says("C"))
    await live.post(body(opening()))
    async with replaying(Recorded(kept(blobs, live.talk), SETTINGS)) as sandbox:
        await sandbox.post(body(opening(PROMPT.replace("odd", "even", 1))))
    assert sandbox.talk.failure is not None
    assert sandbox.talk.failure.words.startswith("Request 0 of task '7', repeat 2, is not in the record. ")
    assert "at message 1 ('user'), messages[1].content[3].text, character 17" in sandbox.talk.failure.words
    assert "'Which one is the odd one out?\\n'" in sandbox.talk.failure.words
    assert "'Which one is the even one out?\\n'" in sandbox.talk.failure.words


async def test_a_call_beside_the_conversation_must_be_there_too(gateway: Gateway, blobs: Blobs) -> None:
    live = await gateway(says("Look.", [CALL]), says("beside"))
    aside = body([{"role": "user", "content": "Psst."}])
    for data in (body(opening()), aside):
        await live.post(data)
    async with replaying(Recorded(kept(blobs, live.talk), SETTINGS)) as sandbox:
        await sandbox.post(body(opening()))
        assert (await sandbox.post(aside)).status == 200
        await sandbox.post(body([{"role": "user", "content": "Psst!"}]))
    assert sandbox.talk.failed.is_set()


async def test_a_record_that_is_not_there_answers_nothing() -> None:
    async with replaying(Unrecorded("There is none.")) as sandbox:
        assert (await sandbox.post(body(opening()))).status == 400
    assert sandbox.talk.failure is not None
    assert (sandbox.talk.failure.kind, sandbox.talk.failure.words) == ("not-recorded", "There is none.")
