import json
from collections.abc import Callable
from typing import Any

import pytest

from harness.gateway.fields import Refused
from harness.gateway.request import Request, parse
from tests.gateway.bodies import (
    PNG,
    body,
    fields,
    image_part,
    opening,
    text_part,
    turn,
)

DATE = "Thu Jan 01 2026"


def read(messages: list[Any]) -> Request:
    return parse(body(messages), "vlm", DATE)


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
