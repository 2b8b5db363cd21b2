import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.gateway.request import parse
from harness.gateway.rewrite import pin_date, upstream_body
from tests.gateway.bodies import PINNED, SYSTEM, TOOL, body, fields, opening, turn
from tests.gateway.conftest import KEY, policy

DATE = "Thu Jan 01 2026"
POLICY = policy("http://127.0.0.1/v1")


def pinned(messages: list[Any]) -> bytes:
    sent = body(messages)
    return pin_date(sent, json.loads(sent), DATE)[0]


def test_only_the_date_in_the_system_prompt_is_replaced() -> None:
    line = "Today's date: Mon Feb 02 2026"
    messages = [*opening(prompt=line), *turn(line, [("c", "bash", "{}")], [line])]
    expected = json.loads(body(messages))
    expected["messages"][0]["content"] = PINNED
    assert json.loads(pinned(messages)) == expected
    assert len(pinned(messages)) == len(body(messages))


def test_a_system_prompt_without_a_date_stays() -> None:
    messages = [{"role": "system", "content": "Today's date: soon"}, *opening()[1:]]
    assert pinned(messages) == body(messages)


def test_a_user_message_that_quotes_the_system_prompt_stays() -> None:
    messages = [*opening(), {"role": "user", "content": SYSTEM}]
    assert json.loads(pinned(messages))["messages"][2]["content"] == SYSTEM


def test_a_body_with_other_escapes_is_pinned_too() -> None:
    sent = json.dumps(fields([{"role": "system", "content": SYSTEM + "é"}, *opening()[1:]]), indent=2).encode()
    written, value = pin_date(sent, json.loads(sent), DATE)
    assert json.loads(written)["messages"][0]["content"] == PINNED + "é"
    assert json.loads(written) == value


@given(st.text(st.characters(codec=None)), st.text())
def test_pinning_is_stable_and_keeps_the_value(text: str, prompt: str) -> None:
    sent = json.dumps(
        fields([{"role": "system", "content": text + SYSTEM}, {"role": "user", "content": prompt}])
    ).encode()
    written, value = pin_date(sent, json.loads(sent), DATE)
    assert json.loads(written) == value
    assert pin_date(written, value, DATE) == (written, value)


def sent(sampling: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    request = parse(body(opening(), **more), "vlm", DATE)
    made: dict[str, Any] = json.loads(upstream_body(request.value, policy("http://h/v1", sampling=sampling or {})))
    return made


def test_upstream_gets_the_real_name_and_the_policys_limit_and_no_sampling() -> None:
    got = sent(stop=["x"], n=1, reasoning_effort="medium", verbosity="low", max_tokens=1)
    assert got.pop("messages") == json.loads(pinned(opening()))["messages"]
    assert got == {
        "model": "real-model",
        "max_tokens": 1000,
        "tools": [TOOL],
        "tool_choice": "auto",
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_the_policys_sampling_is_the_only_one() -> None:
    got = sent({"temperature": 0.6, "logprobs": True, "extra": {"a": 1}}, temperature=1, top_p=0.5)
    assert (got["temperature"], got["logprobs"], got["extra"]) == (0.6, True, {"a": 1})
    assert "top_p" not in got


def test_newer_openai_models_get_their_own_limit() -> None:
    got = sent({"max_completion_tokens": 77})
    assert got["max_completion_tokens"] == 77
    assert "max_tokens" not in got


def test_usage_is_asked_for_whatever_the_sandbox_wants() -> None:
    assert sent(stream_options={"include_usage": False})["stream_options"] == {"include_usage": True}


def test_what_is_not_streamed_is_not_asked_for_as_a_stream() -> None:
    got = sent(stream=False)
    assert got["stream"] is False
    assert "stream_options" not in got


def test_the_key_is_not_in_the_body() -> None:
    assert KEY.encode() not in upstream_body(fields(opening()), POLICY)


@pytest.mark.parametrize(("given", "expected"), [("a\ud83d", "a\ufffd"), ("\ude00b", "\ufffdb"), ("😀", "😀")])
def test_half_a_character_does_not_reach_the_endpoint(given: str, expected: str) -> None:
    messages = [*opening(), {"role": "user", "content": given}]
    request = parse(json.dumps(fields(messages)).encode(), "vlm", DATE)
    assert json.loads(upstream_body(request.value, POLICY))["messages"][2]["content"] == expected
    assert json.loads(request.body)["messages"][2]["content"] == given


def test_only_the_first_messages_can_be_the_system_prompt() -> None:
    """Each date that is replaced costs a look at the whole body: a shell may send a hundred thousand."""
    dated = {"role": "system", "content": "Today's date: Thu Jan 02 2026"}
    value = fields([dated] * 40_000)
    _, pinned = pin_date(json.dumps(value, separators=(",", ":")).encode(), value, "Thu Jan 01 2026")
    dates = [message["content"][-15:] for message in pinned["messages"]]
    assert dates == ["Thu Jan 01 2026"] * 4 + ["Thu Jan 02 2026"] * 39_996
