import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.gateway.fields import Refused
from harness.gateway.images import image_of
from harness.gateway.request import Request, parse
from tests.gateway.bodies import (
    JPEG,
    PINNED,
    PNG,
    PROMPT,
    TOOL,
    attached,
    body,
    fields,
    opening,
    turn,
)

DATE = "Thu Jan 01 2026"


def read(messages: list[Any] | None = None, **more: Any) -> Request:
    return parse(body(opening() if messages is None else messages, **more), "vlm", DATE)


def test_what_opencode_sends_is_allowed() -> None:
    messages = [*opening(), *turn("Look.", [("c1", "read", "{}")], ["Image read successfully"]), attached(JPEG)]
    request = read(messages)
    assert request.stream
    assert [message.role for message in request.messages] == ["system", "user", "assistant", "tool", "user"]
    assert request.messages[1].parts[-1] == PROMPT
    assert request.messages[1].parts[2] == image_of(PNG)
    assert request.messages[4].parts[1] == image_of(JPEG)


def test_a_gpt_like_model_id_brings_two_more_fields() -> None:
    assert read(reasoning_effort="medium", verbosity="low")


def test_the_recorded_body_is_the_sandboxs_own_but_for_the_date() -> None:
    sent = body(opening())
    assert parse(sent, "vlm", DATE).body == sent.replace(b"Sun Nov 29 2026", DATE.encode())
    assert read().messages[0].text == PINNED


@pytest.mark.parametrize("n", [1, None])
def test_one_choice_is_allowed(n: int | None) -> None:
    assert read(**({} if n is None else {"n": n}))


@pytest.mark.parametrize(
    "more",
    [
        {"n": 5},
        {"n": True},
        {"n": 1.0},
        {"store": True},
        {"store": False},
        {"model": "gpt-4o"},
        {"model": None},
        {"metadata": {}},
        {"user": "x"},
        {"response_format": {"type": "json_object"}},
        {"previous_response_id": "resp_1"},
        {"web_search_options": {}},
        {"modalities": ["audio"]},
        {"extra_body": {}},
        {"guided_json": {}},
        {"mm_processor_kwargs": {}},
        {"chat_template": "{{ x }}"},
        {"functions": []},
        {"stream": "true"},
        {"stream": 1},
        {"stream_options": {"include_usage": "x"}},
        {"stream_options": {"continuous": True}},
        {"temperature": "0"},
        {"max_tokens": True},
        {"stop": 5},
        {"stop": [5]},
        {"reasoning_effort": 3},
        {"tool_choice": "any"},
        {"tool_choice": {"type": "web_search"}},
        {"tool_choice": {"type": "function", "function": {"name": "a", "x": 1}}},
        {"tools": []},
        {"tools": {}},
        {"messages": []},
        {"messages": {}},
        {"input": "x"},
    ],
)
def test_any_other_field_or_value_is_refused(more: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        read(**more)


@pytest.mark.parametrize("missing", ["model", "messages"])
def test_a_needed_field_is_missed(missing: str) -> None:
    given = fields(opening())
    del given[missing]
    with pytest.raises(Refused, match=missing):
        parse(json.dumps(given).encode(), "vlm", DATE)


def tool(**more: Any) -> dict[str, Any]:
    return {"type": "function", "function": {**TOOL["function"], **more}}


@pytest.mark.parametrize(
    "given",
    [
        {"type": "web_search"},
        {"type": "web_search_preview", "function": TOOL["function"]},
        {"type": "code_interpreter", "container": {"type": "auto"}},
        {"type": "file_search", "vector_store_ids": ["vs_1"]},
        {"type": "mcp", "server_url": "https://example.invalid"},
        {"type": "custom", "custom": {"name": "x"}},
        {"function": TOOL["function"]},
        {**TOOL, "server_url": "https://example.invalid"},
        tool(name="a b"),
        tool(name=""),
        tool(name="a" * 65),
        tool(description=None),
        tool(strict="yes"),
        tool(parameters="https://example.invalid/schema.json"),
        tool(parameters={"$ref": "https://example.invalid/schema.json"}),
        tool(parameters={"properties": {"a": [{"$ref": "file:///etc/passwd"}]}}),
        tool(parameters={"$id": "https://example.invalid/"}),
        tool(parameters={"$dynamicRef": "other.json#a"}),
        tool(parameters={"$schema": "https://example.invalid/schema"}),
        tool(parameters={"$schema": "https://json-schema.org.example.invalid/x"}),
        tool(parameters={"properties": {"a": {"$schema": 7}}}),
    ],
)
def test_only_function_tools_without_references_are_allowed(given: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        read(tools=[TOOL, given])


def test_a_schema_may_refer_to_itself_and_have_properties_of_any_name() -> None:
    assert read(
        tools=[tool(parameters={"$ref": "#/$defs/a", "$defs": {"a": {"properties": {"$id": {"type": "string"}}}}})]
    )


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["vlm", "user", "text", "function"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["model", "messages", "role", "content", "type", "text", "image_url", "url", "tools", "tool_calls"]
            )
            | st.text(max_size=3),
            inner,
            max_size=5,
        )
    ),
    max_leaves=15,
)


@given(st.binary(max_size=100) | JSON.map(lambda value: json.dumps(value).encode()))
def test_nothing_but_refused_is_raised(data: bytes) -> None:
    with pytest.raises(Refused):
        parse(data, "vlm", DATE)


@given(JSON, st.sampled_from(["messages", "tools", "tool_choice", "stream", "stream_options", "stop", "n", "model"]))
def test_nothing_but_refused_is_raised_for_a_wrong_part(value: object, name: str) -> None:
    with contextlib.suppress(Refused):
        parse(json.dumps({**fields(opening()), name: value}).encode(), "vlm", DATE)


@given(JSON)
def test_nothing_but_refused_is_raised_for_a_wrong_message(value: object) -> None:
    with contextlib.suppress(Refused):
        read([*opening(), value])
