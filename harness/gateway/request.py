"""A request of the sandbox, read strictly: what is not on the list is refused."""

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Final

import attrs

from harness.gateway.fields import Refused, a_list, a_number, a_string, an_object, one_of
from harness.gateway.messages import Message, read_message
from harness.gateway.pictures import Pictures, take_out
from harness.gateway.rewrite import DROPPED, pin_date
from harness.gateway.settings import MIB
from harness.gateway.strictjson import MalformedError, loads
from harness.store.canonical import JSON

# What OpenCode 1.17.11 sends through @ai-sdk/openai-compatible, whatever the model id; seen on the wire.
_ALLOWED: Final = ("stream", "stream_options", "tools", "tool_choice", *DROPPED)
_TOOL_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")

# Keywords by which a JSON schema names another document, which a validator might fetch.
_REFERENCES: Final = frozenset({"$ref", "$dynamicRef", "$recursiveRef", "$id"})
_DIALECT: Final = re.compile(r"https?://json-schema\.org/[a-z0-9/-]+#?")


@attrs.frozen
class Request:
    """An allowed request: its recorded body (date pinned, otherwise as it came), its value and its messages.

    In ``value`` stand-ins take the place of the large ``pictures``. ``frame`` stands for all but the messages.
    """

    body: bytes = attrs.field(repr=False)
    value: Mapping[str, JSON] = attrs.field(repr=False)
    messages: tuple[Message, ...]
    stream: bool
    pictures: Pictures = attrs.field(repr=False)
    frame: bytes = attrs.field(repr=False)


def parse(body: bytes, alias: str, date: str, max_text: int = 8 * MIB) -> Request:
    """Read a request body.

    ``alias`` is the only model there is, ``date`` what the system prompt's date is pinned to, ``max_text`` the bytes
    that the body may have beside its images.

    Raises:
        Refused: and nothing else, whatever the bytes are.
    """
    slim, pictures = take_out(body)
    if len(slim) > max_text:
        raise Refused(413, f"the body has more than {max_text} bytes beside its images")
    try:
        value = loads(slim)
    except MalformedError as error:
        raise Refused(400, str(error)) from None
    fields = an_object(value, "the body", _ALLOWED, ("model", "messages"))
    if fields["model"] != alias:
        raise Refused(404, "there is no such model here")
    _check_numbers(fields)
    _check_choices(fields)
    for tool in a_list(fields["tools"], "tools") if "tools" in fields else ():
        _check_tool(tool)
    pinned, fields = pin_date(slim, fields, date)
    messages = tuple(read_message(message, pictures) for message in a_list(fields["messages"], "messages"))
    if pinned is not slim:
        body, pictures = pictures.move(pinned)
    return Request(body, fields, messages, fields.get("stream") is True, pictures, _frame(fields))


def _frame(fields: Mapping[str, JSON]) -> bytes:
    rest = {name: field for name, field in fields.items() if name != "messages"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).digest()


def _check_numbers(fields: Mapping[str, JSON]) -> None:
    for name in ("max_tokens", "max_completion_tokens", "temperature", "top_p"):
        if name in fields:
            a_number(fields[name], name)
    if "n" in fields:
        one_of(fields["n"], "n", (1,))


def _check_choices(fields: Mapping[str, JSON]) -> None:
    if "stream" in fields:
        one_of(fields["stream"], "stream", (True, False))
    if "stream_options" in fields:
        options = an_object(fields["stream_options"], "stream_options", ("include_usage",))
        for wanted in options.values():
            one_of(wanted, "include_usage", (True, False))
    for name in ("reasoning_effort", "verbosity"):
        if name in fields:
            a_string(fields[name], name)
    stop = fields.get("stop", "")
    for text in stop if isinstance(stop, list) else [stop]:
        a_string(text, "stop")
    _check_tool_choice(fields.get("tool_choice", "auto"))


def _check_tool_choice(choice: JSON) -> None:
    if isinstance(choice, str):
        one_of(choice, "tool_choice", ("auto", "none", "required"))
        return
    fields = an_object(choice, "tool_choice", (), ("type", "function"))
    one_of(fields["type"], "tool_choice's type", ("function",))
    function = an_object(fields["function"], "tool_choice's function", (), ("name",))
    _check_tool_name(function["name"])


def _check_tool(tool: JSON) -> None:
    fields = an_object(tool, "a tool", ("type", "function"))
    # First of all, since this is the one that would have a provider search the web or run code.
    one_of(fields.get("type"), "a tool's type", ("function",))
    optional = ("description", "parameters", "strict")
    function = an_object(fields.get("function"), "a tool's function", optional, ("name",))
    _check_tool_name(function["name"])
    a_string(function.get("description", ""), "a tool's description")
    one_of(function.get("strict", False), "a tool's strict", (True, False))
    parameters = function.get("parameters", {})
    if not isinstance(parameters, Mapping):
        raise Refused(400, "a tool's parameters are no object")
    _check_schema(parameters)


def _check_tool_name(name: JSON) -> None:
    if not _TOOL_NAME.fullmatch(a_string(name, "a tool's name")):
        raise Refused(400, "a tool's name is not made of 1 to 64 of A-Z a-z 0-9 _ -")


def _check_schema(schema: JSON) -> None:
    """No reference to another document, at any depth; strings elsewhere are text."""
    todo: list[JSON] = [schema]
    while todo:
        value = todo.pop()
        if isinstance(value, list):
            todo.extend(value)
        elif isinstance(value, Mapping):
            todo.extend(value.values())
            for name, item in value.items():
                if name in _REFERENCES and isinstance(item, str) and not item.startswith("#"):
                    raise Refused(400, f"a tool's schema refers to another document by {name!r}")
                if name == "$schema" and not (isinstance(item, str) and _DIALECT.fullmatch(item)):
                    raise Refused(400, "a tool's $schema is no dialect of json-schema.org")
