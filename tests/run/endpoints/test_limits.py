"""What a list of models says of a model's limits, and what an endpoint can do wrong."""

import json
from typing import Any

import pytest

from harness.errors import UpstreamError, UsageError
from harness.gateway import Secret
from harness.run.endpoints import limits
from harness.run.endpoints.limits import Limit, Told
from tests.gateway.scripted import Act, Endpoint, breaks_off, fails, sends

KEY = "sk-marked-secret-0123456789"


def lists(*entries: Any) -> Act:
    return sends(json.dumps({"object": "list", "data": entries}).encode(), kind="application/json")


async def told(*acts: Act, model: str = "m", secret: Secret | None = None) -> Told:
    async with Endpoint(acts) as endpoint:
        return await limits.ask(endpoint.url, model, secret)


@pytest.mark.parametrize(
    ("fields", "context", "output"),
    [
        ({"max_model_len": 32768}, Limit(32768, "max_model_len"), None),
        ({"context_length": 8192, "max_model_len": None}, Limit(8192, "context_length"), None),
        (
            {"context_window": 131072, "max_completion_tokens": 8192},
            Limit(131072, "context_window"),
            Limit(8192, "max_completion_tokens"),
        ),
        (
            {"context_length": 9, "top_provider": {"max_completion_tokens": 4}},
            Limit(9, "context_length"),
            Limit(4, "top_provider.max_completion_tokens"),
        ),
        ({"context_length": 9, "top_provider": {"max_completion_tokens": None}}, Limit(9, "context_length"), None),
        ({"meta": {"n_ctx_train": 131072}}, None, None),
        ({}, None, None),
    ],
)
def test_the_fields_of_well_known_servers(fields: dict[str, Any], context: Limit | None, output: Limit | None) -> None:
    assert limits.read({"id": "m", **fields}) == Told(context, output)


@pytest.mark.parametrize("value", [0, -1, 10**400, True, "32768", 1.5, [1], {"a": 1}])
async def test_a_number_that_can_not_be_is_refused_with_what_to_give(value: object) -> None:
    with pytest.raises(UsageError, match=r"max_model_len: .* Give --context TOKENS"):
        await told(lists({"id": "m", "max_model_len": value}))


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b'{"data": 1}',
        b'{"data": [1]}',
        b"[" * 100_000,
        b"\xff",
        b'{"data": [{"id": ' + b"9" * 5000,
    ],
)
async def test_what_is_no_list_of_models(body: bytes) -> None:
    with pytest.raises(UsageError, match="no list of models"):
        await told(sends(body))


async def test_a_model_that_is_not_there_is_named_with_those_that_are() -> None:
    with pytest.raises(UsageError, match=r"no model 'm'.*It has: a, b"):
        await told(lists({"id": "a"}, {"id": "b"}))


@pytest.mark.parametrize(
    ("status", "kind", "words"),
    [
        (401, UsageError, "POLICY_API_KEY"),
        (404, UsageError, "--policy-base-url"),
        (302, UsageError, "answered 302"),
        (429, UpstreamError, "try again|Try again"),
        (503, UpstreamError, "answered 503"),
    ],
)
async def test_an_answer_that_is_none(status: int, kind: type[Exception], words: str) -> None:
    secret = Secret(KEY)
    with pytest.raises(kind, match=words) as caught:
        await told(fails(status, f"bad key {KEY}", {"Location": "http://127.0.0.1:9/v1/models"}), secret=secret)
    assert KEY not in str(caught.value)


async def test_a_redirect_is_not_followed_and_the_environments_proxy_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    async with Endpoint([lists({"id": "m", "max_model_len": 5})]) as endpoint:
        assert (await limits.ask(endpoint.url, "m", Secret(KEY))).context == Limit(5, "max_model_len")
        (asked,) = endpoint.asked
    assert (asked.method, asked.path) == ("GET", "/v1/models")
    assert asked.headers["Authorization"] == f"Bearer {KEY}"


async def test_more_than_a_list_of_models_has_is_not_read() -> None:
    with pytest.raises(UsageError, match="larger than 16 MiB"):
        await told(sends(b" " * ((16 << 20) + 1)))


async def test_a_connection_that_breaks_or_is_refused() -> None:
    with pytest.raises(UpstreamError, match="can't be reached"):
        await told(breaks_off(b"{"))
    async with Endpoint([lists()]) as endpoint:
        url = endpoint.url
    with pytest.raises(UpstreamError, match="can't be reached"):
        await limits.ask(url, "m", None)


async def test_an_address_that_is_none() -> None:
    with pytest.raises(UsageError, match="can't be read"):
        await limits.ask("http://[::1", "m", None)


async def test_a_password_in_an_address_is_neither_shown_nor_sent() -> None:
    async with Endpoint([fails(401, "who are you?")]) as endpoint:
        url = endpoint.url.replace("http://", "http://user:pass-word@")
        with pytest.raises(UsageError, match="user name or password") as raised:
            await limits.ask(url, "m", None)
        assert "pass-word" not in str(raised.value)
        assert endpoint.asked == []


async def test_a_key_is_taken_out_before_words_are_cut() -> None:
    key = "sk-marked-0123456789"
    for size in range(1980, 2001, 3):
        async with Endpoint([sends(b"x" * size + key.encode(), 400)]) as endpoint:
            with pytest.raises(UsageError) as raised:
                await limits.ask(endpoint.url, "m", Secret(key))
        assert "sk-mark" not in str(raised.value)
