"""Words that a model, an endpoint or a data set wrote, made fit for a terminal."""

import io
import os
import re
from collections.abc import Iterator
from typing import Final, TextIO

WIDTH: Final = 100  # columns of what goes to no terminal

# Whatever may need an escape: one look at each sign would be slow for a text of megabytes.
_NOT_ASCII = re.compile(r"[^ -~]")


def width(stream: TextIO) -> int:
    """The columns of a stream."""
    return os.get_terminal_size(stream.fileno()).columns or WIDTH if stream.isatty() else WIDTH


def speakable(stream: TextIO) -> None:
    """Have letters that the stream's encoding doesn't know written as escapes, rather than fail."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")


def plain(text: str) -> str:
    """One line without a sign that moves the cursor, changes colours or reorders letters; those become escapes."""
    return text if text.isprintable() else _NOT_ASCII.sub(_escaped, text)


def block(text: str, most: int | None = None) -> Iterator[str]:
    """The lines of a text, each made `plain`; only tabs stay.

    Of a text with more than ``most`` characters, or more lines than a twentieth of that, come the beginning and the
    end, and between them how much is left out.
    """
    if most is None or (len(text) <= most and text.count("\n") < most // 20):
        yield from _lines(text)
        return
    head, tail = text[: most * 3 // 4], text[-(most // 4) :]
    head = "\n".join(head.split("\n", most * 3 // 80)[: most * 3 // 80])
    tail = "\n".join(tail.rsplit("\n", most // 80)[-(most // 80) :])
    yield from _lines(head)
    yield f"... {len(text) - len(head) - len(tail):,} characters are left out: --full shows them ..."
    yield from _lines(tail)


def _lines(text: str) -> Iterator[str]:
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield _tabbed(text[start:end])
        start = end + 1
    yield _tabbed(text[start:])


def _tabbed(line: str) -> str:
    return "\t".join(map(plain, line.split("\t")))


def _escaped(found: re.Match[str]) -> str:
    sign = found[0]
    if sign.isprintable():
        return sign
    code = ord(sign)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def counted(count: int, word: str) -> str:
    """A number and its word: ``1 token``, ``1,000 tokens``."""
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def duration(seconds: float) -> str:
    """A length of time as people say it: ``45 s``, ``12 min``, ``3 h 05 min``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02} min"
