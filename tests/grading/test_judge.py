"""Asking a judge over HTTP on loopback."""

import asyncio
import json
import logging
from typing import Any

import pytest

from harness.gateway.policy import Secret
from harness.grading import judge as judges
from harness.grading.judge import JudgeEndpoint, connect
from harness.grading.prompt import JudgeSettings, request

KEY = "sk-key-of-the-judge"
REQUEST = request(JudgeSettings(), "Q", "G", None, "T")


async def ask(endpoint: Any, **changes: Any) -> judges.Call:
    settings = JudgeEndpoint(**{"base_url": endpoint.url, "api_key": Secret(KEY), **changes})
    async with connect(settings) as judge:
        return await judge.ask(REQUEST)


async def test_the_whole_answer_is_kept(endpoint: Any) -> None:
    body = endpoint.answers[0][1]
    call = await ask(endpoint)
    assert (call.body, call.failure) == (body, None)
    assert 0 < call.started_ns <= call.ended_ns


async def test_the_request_is_sent_as_it_is_kept(endpoint: Any) -> None:
    await ask(endpoint)
    assert endpoint.asked == [REQUEST]
    assert endpoint.headers[0]["authorization"] == f"Bearer {KEY}"


async def test_nothing_of_the_environment_reaches_the_endpoint(endpoint: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "OPENAI_API_KEY": "sk-foreign",
        "OPENAI_ADMIN_KEY": "sk-foreign",
        "OPENAI_BASE_URL": "http://127.0.0.1:1/foreign",
        "OPENAI_ORG_ID": "foreign",
        "OPENAI_PROJECT_ID": "foreign",
        "OPENAI_CUSTOM_HEADERS": "X-Foreign: foreign\nAuthorization: Bearer foreign",
        "HTTP_PROXY": "http://127.0.0.1:1",
        "ALL_PROXY": "http://127.0.0.1:1",
    }.items():
        monkeypatch.setenv(name, value)
    assert (await ask(endpoint)).failure is None
    assert (await ask(endpoint, api_key=None)).failure is None
    assert "foreign" not in str(endpoint.headers)
    assert endpoint.headers[0]["authorization"] == f"Bearer {KEY}"
    assert "authorization" not in endpoint.headers[1]


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_failure_that_may_pass_is_tried_again(endpoint: Any, status: int) -> None:
    endpoint.answers.insert(0, (status, "{}"))
    assert (await ask(endpoint)).failure is None
    assert len(endpoint.asked) == 2


async def test_tries_are_bounded(endpoint: Any) -> None:
    endpoint.answers = [(503, '{"error": "busy"}')]
    call = await ask(endpoint, retries=2)
    assert len(endpoint.asked) == 3
    assert call.body is None
    assert call.failure == 'The judge\'s endpoint answered HTTP 503: {"error": "busy"}.'


async def test_a_request_that_is_wrong_is_not_sent_again(endpoint: Any) -> None:
    endpoint.answers = [(400, '{"error": {"message": "no such model"}}')]
    call = await ask(endpoint)
    assert len(endpoint.asked) == 1
    assert call.failure is not None
    assert "no such model" in call.failure


async def test_a_redirection_is_not_followed(endpoint: Any) -> None:
    endpoint.answers = [(307, "")]
    call = await ask(endpoint)
    assert call.failure is not None
    assert "HTTP 307" in call.failure
    assert len(endpoint.asked) == 1


@pytest.mark.parametrize("status", [200, 400, 401, 403])
async def test_the_key_is_in_no_text(endpoint: Any, caplog: pytest.LogCaptureFixture, status: int) -> None:
    endpoint.answers = [(status, f'{{"error": "wrong key {KEY}, ends in {KEY[-4:]}"}}')]
    with caplog.at_level(logging.DEBUG):
        call = await ask(endpoint)
    assert KEY not in str(call.to_json())
    assert KEY not in caplog.text
    if status in (401, 403):
        assert call.failure == f"The judge's endpoint answered HTTP {status}."


async def test_an_endpoint_that_is_not_there_is_a_failure() -> None:
    async with connect(JudgeEndpoint(base_url="http://127.0.0.1:1/v1", api_key=None, retries=0)) as judge:
        call = await judge.ask(REQUEST)
    assert call.failure is not None
    assert "could not be reached" in call.failure


async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer nothing until the client goes."""
    await reader.read()
    writer.close()


async def dripping(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Send a byte now and then, for ever."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
    try:
        while True:
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.02)
    except ConnectionError:
        writer.close()


@pytest.mark.parametrize("behaviour", [silent, dripping])
async def test_patience_ends(monkeypatch: pytest.MonkeyPatch, behaviour: Any) -> None:
    monkeypatch.setattr(judges, "PAUSE_MAX", 0.1)
    async with await asyncio.start_server(behaviour, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        async with connect(JudgeEndpoint(base_url=url, api_key=None, retries=0, timeout=0.2)) as judge:
            async with asyncio.timeout(10):
                call = await judge.ask(REQUEST)
    assert call.failure == "The judge's endpoint gave no answer within 0.2 s."


async def test_no_more_calls_at_once_than_allowed(endpoint: Any) -> None:
    async with connect(JudgeEndpoint(base_url=endpoint.url, api_key=None, concurrency=2)) as judge:
        await asyncio.gather(*(judge.ask(REQUEST) for _ in range(6)))
    assert (len(endpoint.asked), endpoint.most) == (6, 2)


@pytest.mark.parametrize("times", [1, 2])
async def test_a_key_that_is_escaped_in_the_answer_is_no_verdict(endpoint: Any, times: int) -> None:
    content = "".join(f"\\u{ord(sign):04X}" for sign in KEY)
    for _ in range(times):
        content = json.dumps(content)[1:-1]
    endpoint.answers = [(200, f'{{"choices": [{{"message": {{"content": "{content}"}}}}]}}')]
    assert (await ask(endpoint)).failure == "The judge's endpoint put its key into the answer."
