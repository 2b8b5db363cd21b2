"""Chat completions as an OpenAI-compatible server writes them: whole, or as a stream of events."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from harness.benchmarks.demo.policy import Reply

_PIECE: Final = 48  # characters of text in one event
_BYTES_PER_TOKEN: Final = 4  # a rough count is enough: nothing here is paid for


def completion(reply: Reply, turn: int, envelope: Mapping[str, Any], asked: int) -> dict[str, Any]:
    """The whole answer. ``turn`` counts the model's turns before it, ``asked`` is the size of the request in bytes."""
    message = {"role": "assistant", "content": reply.text or None, **_tool_calls(reply, turn)}
    choice = {"index": 0, "message": message, "finish_reason": _finish(reply)}
    return {**envelope, "object": "chat.completion", "choices": [choice], "usage": _usage(reply, asked)}


def stream(reply: Reply, turn: int, envelope: Mapping[str, Any], asked: int) -> Iterator[bytes]:
    """The same as server-sent events, the usage last."""

    def event(delta: Mapping[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return _event({**envelope, "object": "chat.completion.chunk", "choices": [choice]})

    yield event({"role": "assistant", "content": ""})
    for start in range(0, len(reply.text), _PIECE):
        yield event({"content": reply.text[start : start + _PIECE]})
    for calls in _tool_calls(reply, turn).values():
        yield event({"tool_calls": [{"index": index, **call} for index, call in enumerate(calls)]})
    yield event({}, _finish(reply))
    usage = _usage(reply, asked)
    yield _event({**envelope, "object": "chat.completion.chunk", "choices": [], "usage": usage})
    yield b"data: [DONE]\n\n"


def _event(value: Mapping[str, Any]) -> bytes:
    return b"data: " + json.dumps(value, separators=(",", ":")).encode() + b"\n\n"


def _tool_calls(reply: Reply, turn: int) -> dict[str, list[dict[str, Any]]]:
    if reply.tool is None:
        return {}
    name, arguments = reply.tool
    call = {"id": f"call_{turn}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
    return {"tool_calls": [call]}


def _finish(reply: Reply) -> str:
    return "tool_calls" if reply.tool else "stop"


def _usage(reply: Reply, asked: int) -> dict[str, int]:
    said = len(reply.text) + sum(len(json.dumps(argument)) for argument in (reply.tool or ()))
    prompt, answer = asked // _BYTES_PER_TOKEN, said // _BYTES_PER_TOKEN + 1
    return {"prompt_tokens": prompt, "completion_tokens": answer, "total_tokens": prompt + answer}
