import contextlib
import json
from collections.abc import Callable
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
    image_part,
    opening,
    text_part,
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


USER = {"role": "user"}


@pytest.mark.parametrize(
    "message",
    [
        {"role": "developer", "content": "x"},
        {"role": "function", "name": "x", "content": "x"},
        {"content": "x"},
        "x",
        None,
        {"role": "system", "content": [text_part("x")]},
        {"role": "system", "content": "x", "name": "a"},
        {**USER, "content": None},
        {**USER, "content": []},
        {**USER, "content": 5},
        {**USER, "content": ["x"]},
        {**USER, "content": "x", "name": "a"},
        {**USER, "content": [{"type": "text", "text": 5}]},
        {**USER, "content": [{"type": "text", "text": "x", "annotations": []}]},
        {**USER, "content": [{"type": "file", "file": {"file_id": "file-1"}}]},
        {**USER, "content": [{"type": "file", "file": {"file_data": "data:application/pdf;base64,AAAA"}}]},
        {**USER, "content": [{"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}]},
        {**USER, "content": [{"type": "video_url", "video_url": {"url": "https://example.invalid/v"}}]},
        {**USER, "content": [{"type": "image_url", "image_url": {"url": "https://example.invalid/x.png"}}]},
        {**USER, "content": [{"type": "image_url", "image_url": "https://example.invalid/x.png"}]},
        {**USER, "content": [{"type": "image_url", "image_url": {"file_id": "file-1"}}]},
        {**USER, "content": [{"type": "input_image", "file_id": "file-1"}]},
        {**USER, "content": [{**image_part(PNG), "uuid": "1"}]},
        {**USER, "content": [{"type": "image_url", "image_url": {**image_part(PNG)["image_url"], "detail": "high"}}]},
        {"role": "assistant", "content": [text_part("x")]},
        {"role": "assistant", "content": False},
        {"role": "assistant"},
        {"role": "assistant", "content": "x", "tool_calls": []},
        {"role": "assistant", "content": "x", "audio": {"id": "a"}},
        {"role": "assistant", "content": "x", "prefix": True},
        {"role": "assistant", "content": "x", "reasoning_content": None},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "1", "type": "custom", "custom": {}}]},
        {"role": "assistant", "content": "", "tool_calls": [{"id": 1, "type": "function", "function": {}}]},
        {"role": "tool", "content": "x"},
        {"role": "tool", "content": [text_part("x")], "tool_call_id": "1"},
        {"role": "tool", "content": "x", "tool_call_id": 1},
        {"role": "tool", "content": "x", "tool_call_id": "1", "cache_control": {"type": "forever"}},
    ],
)
def test_any_other_message_is_refused(message: Any) -> None:
    with pytest.raises(Refused) as refused:
        read([*opening(), message])
    assert refused.value.status == 400


def test_null_is_no_text_beside_tool_calls() -> None:
    (message,) = turn("", [("c1", "bash", "{}")], ["x"])[:1]
    assert read([*opening(), {**message, "content": None}]).messages[2].text == ""


def test_caching_marks_do_not_change_what_a_message_is() -> None:
    mark = {"cache_control": {"type": "ephemeral"}}
    plain = read([*opening(), *turn("a", [("c1", "bash", "{}")], ["x"])])
    system, user, said, result = [*opening(), *turn("a", [("c1", "bash", "{}")], ["x"])]
    user["content"][-1] |= mark
    said["tool_calls"][0] |= mark
    marked = read([system | mark, user, said, result | mark])
    assert [message.digest for message in plain.messages] == [message.digest for message in marked.messages]


DIFFERENT: list[Callable[[], dict[str, Any]]] = [
    lambda: {**USER, "content": "ab"},
    lambda: {**USER, "content": [text_part("ab")]},
    lambda: {**USER, "content": [text_part("a"), text_part("b")]},
    lambda: {**USER, "content": [image_part(PNG)]},
    lambda: {**USER, "content": [image_part(PNG + b"x")]},
    lambda: {**USER, "content": [image_part(PNG), image_part(PNG)]},
    lambda: {"role": "system", "content": "ab"},
    lambda: {"role": "assistant", "content": "ab"},
    lambda: {"role": "assistant", "content": "a", "reasoning_content": "b"},
    lambda: turn("ab", [("c1", "bash", "{}")], ["x"])[0],
    lambda: turn("ab", [("c1", "bash", "{ }")], ["x"])[0],
    lambda: turn("ab", [("c2", "bash", "{}")], ["x"])[0],
    lambda: {"role": "tool", "content": "ab", "tool_call_id": "1"},
    lambda: {"role": "tool", "content": "ab", "tool_call_id": "2"},
    lambda: {**USER, "content": "ab\ud83d"},
]


def test_different_messages_have_different_digests() -> None:
    seen = {parse(json.dumps(fields([make()])).encode(), "vlm", DATE).messages[0].digest for make in DIFFERENT}
    assert len(seen) == len(DIFFERENT)


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
