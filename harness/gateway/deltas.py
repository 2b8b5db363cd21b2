"""Tool calls put together from the pieces of a stream, by the rules of OpenCode's client."""

import json
import re
from typing import Final, NoReturn

import attrs

from harness.gateway.messages import ToolCall
from harness.gateway.texts import join_halves

_CALLS_MAX: Final = 1000  # in one response
_LONGEST_SCALAR: Final = 32  # pieces; a number, true, false or null is complete after far fewer
_TOKEN: Final = re.compile(r'\\.|["{}\[\]]', re.DOTALL)


@attrs.define
class _Arguments:
    """The arguments of one call as they grow; each piece is looked at once, however many there are."""

    call_id: str
    name: str
    pieces: list[str] = attrs.field(factory=list)
    complete: bool = False
    _depth: int = 0
    _in_text: bool = False
    _escaped: bool = False  # the last piece ended with a backslash
    _closed: bool = False

    def add(self, piece: str) -> None:
        """Takes one more piece, unless the arguments are complete."""
        if self.complete or not piece:
            return
        self.pieces.append(piece)
        # What was opened first closes once: JSON then, or never.
        if not self._closed and (self._closes(piece) or self._is_bare()):
            self.complete = _is_json("".join(self.pieces))

    def _closes(self, piece: str) -> bool:
        end = int(self._escaped)
        for token in _TOKEN.finditer(piece, end):
            mark, end = token[0], token.end()
            if mark == '"':
                self._in_text = not self._in_text
            elif len(mark) == 1 and not self._in_text:
                self._depth += 1 if mark in "{[" else -1
            self._closed = self._closed or not (self._in_text or self._depth > 0)
        self._escaped = piece.endswith("\\") and end < len(piece)
        return self._closed

    def _is_bare(self) -> bool:
        """Whether it may be a number, true, false or null."""
        return not self._in_text and self._depth == 0 and len(self.pieces) <= _LONGEST_SCALAR


class Calls:
    """The tool calls of one response.

    A call is known by its index; its id and name are those of its first piece. Its arguments are complete as soon as
    they are JSON, and what comes later is dropped. Of calls with one id OpenCode carries out one only: whichever it is.
    """

    def __init__(self) -> None:
        self._calls: dict[int, _Arguments] = {}
        self._next = 0
        self.trouble: str | None = None

    def add(self, pieces: object) -> None:
        """Takes the ``tool_calls`` of one delta or message."""
        for piece in pieces if isinstance(pieces, list) else ():
            if isinstance(piece, dict):
                self._add(piece)

    def made(self) -> tuple[ToolCall, ...]:
        """All calls, by index."""
        return tuple(
            ToolCall(call.call_id, call.name, join_halves("".join(call.pieces)))
            for _, call in sorted(self._calls.items())
        )

    def _add(self, piece: dict[str, object]) -> None:
        given = piece.get("index")
        index = given if isinstance(given, int) else self._next
        function = piece.get("function")
        function = function if isinstance(function, dict) else {}
        if index not in self._calls:
            call_id, name = piece.get("id"), function.get("name")
            if not isinstance(call_id, str) or not isinstance(name, str):
                # OpenCode ends with an error here; no model brings this about, only its server.
                self.trouble = "a tool call begins without an id or a name"
                return
            if len(self._calls) == _CALLS_MAX:
                self.trouble = f"the response has more than {_CALLS_MAX} tool calls"
                return
            self._calls[index] = _Arguments(call_id, name)
            self._next = max(self._next, index + 1)
        arguments = function.get("arguments")
        if isinstance(arguments, str):
            self._calls[index].add(arguments)


def _is_json(text: str) -> bool:
    try:
        json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return False
    return True


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)
