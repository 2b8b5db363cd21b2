"""Whether messages continue a conversation: the model's answer as OpenCode repeats it, then what its tools returned.

OpenCode 1.17.11 writes an answer back like this (found by running it): the text as it came, lone surrogates as
U+FFFD, "" where there is none; the reasoning likewise as ``reasoning_content``; of each tool call the same id, the name
(in lower case if only that names a tool), and the arguments parsed and written again; of calls with the same id one,
whichever ended first. Arguments that are no object become ``{"value": ...}``, none ``{}``. A call of an unknown tool or
with broken JSON becomes a call of ``invalid``. Where the model id reads like Claude's, characters of ids outside
``[A-Za-z0-9_-]`` become ``_``.
"""

import json
import math
import re
from collections.abc import Sequence
from typing import Final, NoReturn

from harness.gateway.answer import Answer
from harness.gateway.images import Image
from harness.gateway.messages import Message, ToolCall
from harness.gateway.texts import well_formed

# Images that a tool returned follow the tool results in a user message that begins with this.
ATTACHED: Final = "Attached media from tool result:"
# What stands there in the place of a file that the model can't be given.
_ATTACHED_ERROR: Final = "ERROR: "

_INVALID: Final = "invalid"


def continues(answer: Answer, messages: Sequence[Message]) -> bool:
    """Whether these messages are this answer and the results of all its tool calls, and nothing else."""
    said, *rest = messages
    if not answer.tool_calls or not _is_answer(said, answer):
        return False
    results, rest = rest[: len(said.tool_calls)], rest[len(said.tool_calls) :]
    if [message.tool_call_id for message in results] != [call.id for call in said.tool_calls]:
        return False
    if any(message.role != "tool" for message in results):
        return False
    return not rest or (len(rest) == 1 and _is_attachment(rest[0]))


def _is_answer(said: Message, answer: Answer) -> bool:
    return (
        said.role == "assistant"
        and said.text == well_formed(answer.text)
        and said.reasoning == well_formed(answer.reasoning)
        and _are_calls(said.tool_calls, answer.tool_calls)
    )


def _are_calls(repeated: Sequence[ToolCall], calls: Sequence[ToolCall]) -> bool:
    """Whether each id of the answer's calls is repeated once, as one of the calls with that id.

    OpenCode keeps the order in which the calls' arguments became complete, which need not be that of the indices.
    """
    by_id: dict[str, list[ToolCall]] = {}
    for call in calls:
        by_id.setdefault(call.id, []).append(call)
    return len(repeated) == len(by_id) and all(
        any(_is_call(again, call) for again in repeated for call in same) for same in by_id.values()
    )


def _is_call(repeated: ToolCall, call: ToolCall) -> bool:
    if repeated.id not in (call.id, re.sub(r"[^a-zA-Z0-9_-]", "_", call.id)):
        return False
    if repeated.name in (call.name, call.name.lower()) and _same_arguments(repeated.arguments, call.arguments):
        return True
    return repeated.name == _INVALID and _names_tool(repeated.arguments, call.name)


def _is_attachment(message: Message) -> bool:
    if message.role != "user" or message.parts[0] != ATTACHED or len(message.parts) < 2:
        return False
    return all(isinstance(part, Image) or part.startswith(_ATTACHED_ERROR) for part in message.parts[1:])


def _same_arguments(repeated: str, arguments: str) -> bool:
    ours = _rewritten(arguments)
    return ours is not None and ours == _rewritten(repeated)


def _names_tool(repeated: str, name: str) -> bool:
    try:
        value = json.loads(repeated)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and value.keys() == {"tool", "error"} and value["tool"] == well_formed(name)


def _rewritten(arguments: str) -> str | None:
    """One form for all texts of the same JSON value in JavaScript; None if it is no JSON."""
    if not arguments.strip():
        arguments = "{}"
    try:
        value = json.loads(arguments, parse_int=_number, parse_float=_number, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        value = {"value": value}
    return well_formed(json.dumps(value, sort_keys=True, ensure_ascii=False))


def _number(digits: str) -> float | None:
    number = float(digits)
    # JavaScript has doubles only and writes infinity as null; adding 0.0 takes the sign off -0.
    return number + 0.0 if math.isfinite(number) else None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)
