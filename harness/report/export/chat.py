"""A conversation as messages of OpenAI's chat completions: what is used to train on, and to read with any tool."""

from collections.abc import Mapping, Sequence
from typing import Any

from harness.gateway.messages import ToolCall
from harness.report.conversation import Turn
from harness.report.export.pictures import Address


def messages(turns: Sequence[Turn], address: Address) -> list[dict[str, Any]]:
    """The turns as messages; ``reasoning_content`` is there where the endpoint shows its reasoning."""
    return [_message(turn, address) for turn in turns]


def _message(turn: Turn, address: Address) -> dict[str, Any]:
    match turn.role:
        case "assistant":
            said: dict[str, Any] = {"role": "assistant", "content": turn.text}
            if turn.reasoning:
                said["reasoning_content"] = turn.reasoning
            if turn.tool_calls:
                said["tool_calls"] = [_call(call) for call in turn.tool_calls]
            return said
        case "tool":
            return {"role": "tool", "tool_call_id": turn.tool_call_id, "content": turn.text}
    return {"role": turn.role, "content": _content(turn, address)}


def _content(turn: Turn, address: Address) -> str | list[dict[str, Any]]:
    """Text alone where there is no image, as every chat template takes it."""
    if not turn.pictures:
        return turn.text
    return [
        {"type": "text", "text": part}
        if isinstance(part, str)
        else {"type": "image_url", "image_url": {"url": address(part)}}
        for part in turn.parts
    ]


def _call(call: ToolCall) -> Mapping[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
