"""The framing of a server-sent event stream (WHATWG HTML, section 9.2), read from its whole bytes."""

from collections.abc import Iterator
from typing import Final

_BOM: Final = b"\xef\xbb\xbf"

# What ends a stream of chat completion chunks.
DONE: Final = "[DONE]"


def events(data: bytes) -> Iterator[str]:
    """The data of each event, in order; comments, other fields and an event without its blank line are left out.

    Bytes that are no UTF-8 become U+FFFD, as in every JavaScript client. Goes from one line of data to the next, so
    that comments and empty lines cost next to nothing, however many there are.
    """
    data = data.removeprefix(_BOM).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    lines: list[bytes] = []
    line = 0 if data.startswith(b"data") else data.find(b"\ndata") + 1 or -1
    while line >= 0 and (end := data.find(b"\n", line)) >= 0:
        field, colon, value = data[line:end].partition(b":")
        if field == b"data":
            lines.append(value.removeprefix(b" ") if colon else b"")
        following = data.find(b"\ndata", end)
        if data.find(b"\n\n", end, following + 1 if following >= 0 else len(data)) >= 0:
            if lines:
                yield b"\n".join(lines).decode("utf-8", "replace")
            lines = []
        line = following + 1 or -1


def comment(text: str) -> bytes:
    """A line that clients skip: a sign of life."""
    return f": {text}\n\n".encode()


def event(text: str) -> bytes:
    """An event with one line of data."""
    return f"data: {text}\n\n".encode()
