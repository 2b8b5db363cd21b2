r"""Finding the answer that a model marked as its final one."""

import re

# Backslashes before a brace make it a character; more of them before `boxed` come from text that was escaped twice.
_TOKEN = re.compile(r"(?P<open>\\+boxed\s*\{)|\\.|(?P<left>\{)|(?P<right>\})", re.DOTALL)
_BOX = re.compile(r"<\|begin_of_box\|>(.*?)<\|end_of_box\|>", re.DOTALL)


def boxed(text: str) -> str | None:
    r"""The content of the last ``\boxed{...}`` or ``<|begin_of_box|>...<|end_of_box|>``, without spaces around it.

    Braces may be nested. Boxes that are empty or never closed don't count; where boxes are nested, the inner one that
    begins last does. None where there is no box.
    """
    found = [(match.start(), match[1]) for match in _BOX.finditer(text)] + _braced(text)
    filled = [(start, content.strip()) for start, content in found if content.strip()]
    return max(filled)[1] if filled else None


def _braced(text: str) -> list[tuple[int, str]]:
    """Start and content of each closed box, in one pass over the text."""
    found = []
    stack: list[re.Match[str]] = []
    for token in _TOKEN.finditer(text):
        if token["right"] and stack:
            opened = stack.pop()
            if opened["open"]:
                found.append((opened.start(), text[opened.end() : token.start()]))
        elif token["open"] or token["left"]:
            stack.append(token)
    return found
