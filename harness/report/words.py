"""Words that a model, an endpoint or a data set wrote, made fit for a terminal."""

import os
from typing import Final, TextIO

WIDTH: Final = 100  # columns of what goes to no terminal


def width(stream: TextIO) -> int:
    """The columns of a stream."""
    return os.get_terminal_size(stream.fileno()).columns or WIDTH if stream.isatty() else WIDTH


def plain(text: str) -> str:
    """One line without a sign that moves the cursor, changes colours or reorders letters; those become escapes."""
    return "".join(sign if sign.isprintable() else _escaped(sign) for sign in text)


def _escaped(sign: str) -> str:
    code = ord(sign)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def duration(seconds: float) -> str:
    """A length of time as people say it: ``45 s``, ``12 min``, ``3 h 05 min``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02} min"
