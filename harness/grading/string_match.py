r"""Comparing two answers as texts: a diagnostic beside the judge's verdict, never the score.

Forgiven is notation alone: case, spaces, a full stop at the end, one pair of brackets or dollar signs around the whole,
``\text{...}``, and forms of one character that Unicode calls compatible. Numbers are not computed, lists not sorted.
"""

import re
import unicodedata

_TEXT = re.compile(r"\\(?:text|mathrm|mathbf)\{([^{}]*)\}")
_PAIRS = {"(": ")", "[": "]", "{": "}", "$": "$"}


def string_match(extracted: str | None, gold: str) -> bool | None:
    """Whether the texts are the same but for notation; None where nothing was extracted."""
    return None if extracted is None else normalised(extracted) == normalised(gold)


def normalised(text: str) -> str:
    """The text without what is forgiven."""
    text = unicodedata.normalize("NFKC", _TEXT.sub(r"\1", text)).casefold()
    text = re.sub(r"\s", "", text).removesuffix(".")
    if len(text) > 2 and _PAIRS.get(text[0]) == text[-1] and _is_one_pair(text):
        text = text[1:-1]
    return text


def _is_one_pair(text: str) -> bool:
    """Whether the first bracket is closed by the last character and not before, unlike in ``(1,2),(3,4)``."""
    left, right = text[0], text[-1]
    inner = text[1:-1]
    if left == right:
        return left not in inner
    depth = 1
    for character in inner:
        depth += (character == left) - (character == right)
        if depth == 0:
            return False
    return depth == 1
