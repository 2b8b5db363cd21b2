"""Tool calls put together from the pieces of a stream, by the rules of OpenCode's client."""

import json
from typing import Final, NoReturn

from harness.gateway.messages import ToolCall
from harness.gateway.texts import join_halves

_CLOSING: Final = {"{": "}", "[": "]", '"': '"'}
_LONGEST_SCALAR: Final = 32  # pieces; a number, true, false or null is complete after far fewer


class Calls:
    """The tool calls of one response.

    A call is known by its index; its id and name are those of its first piece. Its arguments are complete as soon as
    they are JSON, and what comes later is dropped. Of calls with one id OpenCode carries out one only: whichever it is.
    """

    def __init__(self) -> None:
        self._pieces: dict[int, tuple[str, str, list[str]]] = {}
        self._complete: set[int] = set()
        self.trouble: str | None = None

    def add(self, pieces: object) -> None:
        """Takes the ``tool_calls`` of one delta or message."""
        for piece in pieces if isinstance(pieces, list) else ():
            if isinstance(piece, dict):
                self._add(piece)

    def made(self) -> tuple[ToolCall, ...]:
        """All calls, by index."""
        return tuple(
            ToolCall(call_id, name, join_halves("".join(arguments)))
            for _, (call_id, name, arguments) in sorted(self._pieces.items())
        )

    def _add(self, piece: dict[str, object]) -> None:
        given = piece.get("index")
        index = given if isinstance(given, int) else max(self._pieces, default=-1) + 1
        function = piece.get("function")
        function = function if isinstance(function, dict) else {}
        if index not in self._pieces:
            call_id, name = piece.get("id"), function.get("name")
            if not isinstance(call_id, str) or not isinstance(name, str):
                # OpenCode ends with an error here; no model brings this about, only its server.
                self.trouble = "a tool call begins without an id or a name"
                return
            self._pieces[index] = (call_id, name, [])
        arguments = function.get("arguments")
        if isinstance(arguments, str) and index not in self._complete:
            pieces = self._pieces[index][2]
            pieces.append(arguments)
            if _may_complete(pieces) and _is_json("".join(pieces)):
                self._complete.add(index)


def _may_complete(pieces: list[str]) -> bool:
    """Whether it is worth while to look: long arguments must not be read again for every token."""
    start = next((piece.lstrip() for piece in pieces if piece.strip()), "")[:1]
    if start in _CLOSING:
        return pieces[-1].rstrip().endswith(_CLOSING[start])
    return len(pieces) <= _LONGEST_SCALAR


def _is_json(text: str) -> bool:
    try:
        json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return False
    return True


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)
