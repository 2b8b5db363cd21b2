r"""Finding the answer that a model marked as its final one."""

import re
from collections.abc import Iterator

# Backslashes before a brace make it a character; more of them before `boxed` come from text that was escaped twice.
# A run of backslashes is only tried from its start, so that a text of nothing else is not slow.
_OPEN = re.compile(r"(?<!\\)\\+boxed\s*\{")
_BRACE = re.compile(rf"(?P<open>{_OPEN.pattern})|\\.|(?P<left>\{{)|(?P<right>\}})", re.DOTALL)
_BOX = re.compile(r"<\|(?P<edge>begin|end)_of_box\|>")
_FILLED = re.compile(r"\S")

# Where the content of a box begins and ends.
Span = tuple[int, int]


def boxed(text: str) -> str | None:
    r"""The content of the last ``\boxed{...}`` or ``<|begin_of_box|>...<|end_of_box|>``, without spaces around it.

    The whole text counts, also what a model thought aloud in it. Braces may be nested. Boxes that are empty or never
    closed don't count; where boxes are nested, the inner one that begins last does. None where there is no box. Takes
    time and memory in proportion to the text.
    """
    last: Span | None = None
    for spans in (_braced(text), _marked(text)):
        for start, end in spans:
            if (last is None or start > last[0]) and _FILLED.search(text, start, end):
                last = start, end
    return None if last is None else text[slice(*last)].strip()


def _braced(text: str) -> Iterator[Span]:
    r"""The content of each closed ``\boxed{...}``."""
    opened: list[int | None] = []  # where the content of each open box begins; None for a brace inside one
    first = _first(text)
    for token in _BRACE.finditer(text, first.start()) if first else ():
        if token["open"]:
            opened.append(token.end())
        elif token["left"] and opened:
            opened.append(None)
        elif token["right"] and opened and (start := opened.pop()) is not None:
            yield start, token.start()


def _first(text: str) -> re.Match[str] | None:
    """The first opening of a box; where the word doesn't stand nothing is looked at letter by letter."""
    word = text.find("boxed")
    return None if word < 0 else _OPEN.search(text, len(text[:word].rstrip("\\")))


def _marked(text: str) -> Iterator[Span]:
    """The content of each ``<|begin_of_box|>...<|end_of_box|>`` that holds no further mark."""
    start: int | None = None
    for mark in _BOX.finditer(text):
        if mark["edge"] == "begin":
            start = mark.end()
        elif start is not None:
            yield start, mark.start()
            start = None
