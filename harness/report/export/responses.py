"""A conversation in the words of OpenAI's Responses API, as NeMo Gym keeps it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from harness.report.conversation import Part, Turn
from harness.report.export.pictures import Address
from harness.report.export.tokens import Tokens
from harness.store.record import AttemptRecord

SECOND: Final = 1_000_000_000  # nanoseconds

Item = dict[str, Any]


def user_message(turn: Turn, address: Address) -> Item:
    """A user's message, as an input item."""
    return {"role": "user", "type": "message", "content": _content(turn.parts, address)}


def output_items(turns: Sequence[Turn], address: Address) -> list[Item]:
    """All from the model's first answer on: its reasoning, messages and calls, and what its tools returned.

    An image that a tool returned is part of the last tool's output before it. Ids are made of the call's number, so
    that they are the same in every export.
    """
    items: list[Item] = []
    for turn in turns:
        match turn.role:
            case "assistant":
                items += answer_items(turn)
            case "tool":
                items.append(_returned(turn, len(items)))
            case "user" if items and items[-1]["type"] == "function_call_output":
                items[-1]["output"] = [_text(items[-1]["output"]), *_content(turn.parts, address)]
    return items


def answer_items(turn: Turn) -> list[Item]:
    """What one answer of the model comes to."""
    return list(_answer(turn))


def response(
    record: AttemptRecord,
    turns: Sequence[Turn],
    *,
    model: str,
    tools: Iterable[Mapping[str, Any]],
    tokens: Tokens,
    address: Address,
) -> Item:
    """The whole talk as one response of a model: `openai.types.responses.Response`."""
    status, details = _status(record)
    system = [turn.text for turn in turns if turn.role == "system"]
    return {
        "id": f"resp_{record.content.digest[:32]}",
        "object": "response",
        "created_at": record.observed.started_ns // SECOND,
        "status": status,
        "error": None,
        "incomplete_details": details,
        "instructions": "\n\n".join(system) or None,
        "model": model,
        "output": output_items(turns, address),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [_tool(tool) for tool in tools],
        "usage": tokens.usage(),
    }


def _answer(turn: Turn) -> Iterator[Item]:
    if turn.reasoning:
        summary = [{"type": "summary_text", "text": turn.reasoning}]
        yield {"id": f"rs_{turn.call}", "type": "reasoning", "summary": summary}
    if turn.text:
        content = [{"type": "output_text", "text": turn.text, "annotations": []}]
        yield {
            "id": f"msg_{turn.call}",
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": content,
        }
    for number, call in enumerate(turn.tool_calls):
        yield {
            "id": f"fc_{turn.call}_{number}",
            "type": "function_call",
            "call_id": call.id,
            "name": call.name,
            "arguments": call.arguments,
            "status": "completed",
        }


def _returned(turn: Turn, place: int) -> Item:
    return {
        "id": f"fco_{place}",
        "type": "function_call_output",
        "call_id": turn.tool_call_id,
        "output": turn.text,
        "status": "completed",
    }


def _content(parts: Iterable[Part], address: Address) -> list[Item]:
    return [
        _text(part) if isinstance(part, str) else {"type": "input_image", "image_url": address(part), "detail": "auto"}
        for part in parts
    ]


def _text(said: str) -> Item:
    return {"type": "input_text", "text": said}


def _status(record: AttemptRecord) -> tuple[str, Item | None]:
    match record.content.finish_reason:
        case "stop":
            return "completed", None
        case "length":
            return "incomplete", {"reason": "max_output_tokens"}
        case "content_filter":
            return "incomplete", {"reason": "content_filter"}
    return "incomplete", None


def _tool(tool: Mapping[str, Any]) -> Item:
    """A function that chat completions offer, as the Responses API does."""
    function = tool.get("function")
    given = function if isinstance(function, Mapping) else {}
    return {
        "type": "function",
        "name": given.get("name", ""),
        "description": given.get("description"),
        "parameters": given.get("parameters"),
        "strict": bool(given.get("strict")),
    }
