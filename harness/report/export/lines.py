"""JSON that every reader takes, one value a line.

Texts of a model may hold lone surrogates, which no UTF-8 holds and strict readers of JSON refuse. They are written as
`harness.store.canonical.escape_surrogates` says, which `unescape_surrogates` undoes without loss.
"""

import json
from collections.abc import Mapping
from typing import Any

from harness.store.canonical import escape_surrogates


def line(value: Mapping[str, Any]) -> bytes:
    """A value as one line, keys in their order; what can't be said in JSON (NaN) raises ValueError."""
    return (json.dumps(whole(value), ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n").encode()


def whole(value: Any) -> Any:
    """The same value with each text, and each key, fit for UTF-8."""
    if isinstance(value, str):
        return text(value)
    if isinstance(value, Mapping):
        return {text(key): whole(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [whole(item) for item in value]
    return value


def text(value: str) -> str:
    """A text with its lone surrogates escaped, and with what looks like an escape made different from one."""
    # Images are megabytes of text that need no escape: seen without the slow search.
    if value.isascii() and "\\u" not in value:
        return value
    return escape_surrogates(value)
