"""Messages of a chat request: what is allowed in them, and what identifies each."""

import hashlib
import json
from collections.abc import Mapping
from typing import Final

import attrs

from harness.gateway.fields import Refused, a_list, a_string, an_object, one_of, shown
from harness.gateway.images import Image, read_data_url
from harness.gateway.pictures import NONE, Pictures
from harness.store.canonical import JSON

# Where the model id reads like Claude's, OpenCode marks what a provider should cache. The marks move from request to
# request, so they are no part of a message's identity.
MARK: Final = "cache_control"


@attrs.frozen
class ToolCall:
    """A call of a function tool; ``arguments`` is JSON text, as the model or OpenCode wrote it."""

    id: str
    name: str
    arguments: str


@attrs.frozen
class Message:
    """One message: ``parts`` are its texts and images in order, ``digest`` stands for all of it but caching marks."""

    role: str
    parts: tuple[str | Image, ...]
    digest: bytes = attrs.field(repr=False)
    tool_calls: tuple[ToolCall, ...] = ()
    reasoning: str = ""
    tool_call_id: str = ""

    @property
    def text(self) -> str:
        """All its text."""
        return "".join(part for part in self.parts if isinstance(part, str))


def read_message(value: JSON, pictures: Pictures = NONE) -> Message:
    """A message of one of the four roles; ``pictures`` are the images that were taken out of the body.

    Raises:
        Refused: anything that is not allowed.
    """
    role = value.get("role") if isinstance(value, Mapping) else None
    if role == "system":
        return _read_text(role, value, ())
    if role == "user":
        return _read_user(value, pictures)
    if role == "assistant":
        return _read_assistant(value)
    if role == "tool":
        return _read_text(role, value, ("tool_call_id",))
    raise Refused(400, f"a message's role is {shown(role)}; allowed are system, user, assistant and tool")


def _read_text(role: str, value: JSON, more: tuple[str, ...]) -> Message:
    fields = an_object(value, f"a {role} message", (MARK,), ("role", "content", *more))
    _check_mark(fields)
    text = a_string(fields["content"], f"the content of a {role} message")
    call_id = a_string(fields.get("tool_call_id", ""), "a tool_call_id")
    return Message(role, (text,), _digest(role, text, call_id), tool_call_id=call_id)


def _read_user(value: JSON, pictures: Pictures) -> Message:
    fields = an_object(value, "a user message", (MARK,), ("role", "content"))
    _check_mark(fields)
    content = fields["content"]
    if isinstance(content, str):
        return Message("user", (content,), _digest("user", content))
    parts = tuple(_read_part(part, pictures) for part in a_list(content, "the content of a user message"))
    shape = [part if isinstance(part, str) else [part.sha256] for part in parts]
    return Message("user", parts, _digest("user", shape))


def _read_part(value: JSON, pictures: Pictures) -> str | Image:
    kind = value.get("type") if isinstance(value, Mapping) else None
    if kind == "text":
        fields = an_object(value, "a text part", (MARK,), ("type", "text"))
        _check_mark(fields)
        return a_string(fields["text"], "the text of a part")
    if kind == "image_url":
        fields = an_object(value, "an image part", (MARK,), ("type", "image_url"))
        _check_mark(fields)
        url = an_object(fields["image_url"], "an image_url", (), ("url",))["url"]
        text = a_string(url, "an image's URL")
        return pictures.images.get(text) or read_data_url(text)
    raise Refused(400, f"a part's type is {shown(kind)}; allowed are text and image_url")


def _read_assistant(value: JSON) -> Message:
    allowed = ("tool_calls", "reasoning_content", MARK)
    fields = an_object(value, "an assistant message", allowed, ("role", "content"))
    _check_mark(fields)
    # Null where there are only tool calls: OpenCode writes "", other clients null.
    content = fields["content"]
    text = "" if content is None else a_string(content, "the content of an assistant message")
    reasoning = a_string(fields.get("reasoning_content", ""), "reasoning_content")
    calls: tuple[ToolCall, ...] = ()
    if "tool_calls" in fields:
        calls = tuple(_read_call(call) for call in a_list(fields["tool_calls"], "tool_calls"))
    shape = [[call.id, call.name, call.arguments] for call in calls]
    return Message("assistant", (text,), _digest("assistant", text, reasoning, shape), calls, reasoning)


def _read_call(value: JSON) -> ToolCall:
    fields = an_object(value, "a tool call", (MARK,), ("id", "type", "function"))
    _check_mark(fields)
    one_of(fields["type"], "a tool call's type", ("function",))
    function = an_object(fields["function"], "a tool call's function", (), ("name", "arguments"))
    return ToolCall(
        a_string(fields["id"], "a tool call's id"),
        a_string(function["name"], "a tool call's function name"),
        a_string(function["arguments"], "a tool call's arguments"),
    )


def _check_mark(fields: Mapping[str, JSON]) -> None:
    if MARK in fields and fields[MARK] != {"type": "ephemeral"}:
        raise Refused(400, f"{MARK} is {shown(fields[MARK])}; allowed is {{'type': 'ephemeral'}}")


def _digest(*shape: JSON) -> bytes:
    # ASCII escapes, so that lone surrogates have bytes too.
    return hashlib.sha256(json.dumps(shape).encode("ascii")).digest()
