"""The framing of a server-sent event stream (WHATWG HTML, section 9.2), read from its whole bytes."""

import re
from collections.abc import Iterator
from typing import Final

_LINE_END: Final = re.compile("\r\n|\n|\r")

# What ends a stream of chat completion chunks.
DONE: Final = "[DONE]"


def events(data: bytes) -> Iterator[str]:
    """The data of each event, in order; comments, other fields and an event without its blank line are left out.

    Bytes that are no UTF-8 become U+FFFD, as in every JavaScript client.
    """
    lines: list[str] = []
    for line in _LINE_END.split(data.decode("utf-8", "replace").removeprefix("\ufeff"))[:-1]:
        if not line:
            if lines:
                yield "\n".join(lines)
            lines = []
        elif line == "data":
            lines.append("")
        elif line.startswith("data:"):
            lines.append(line[5:].removeprefix(" "))


def comment(text: str) -> bytes:
    """A line that clients skip: a sign of life."""
    return f": {text}\n\n".encode()


def event(text: str) -> bytes:
    """An event with one line of data."""
    return f"data: {text}\n\n".encode()
