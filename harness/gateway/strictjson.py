"""Reading JSON that a sandbox sent: whatever two readers could understand differently is refused."""

import json
import math
import re
from collections.abc import Iterable
from typing import Final

from harness.store.canonical import JSON

MAX_DEPTH: Final = 64

# An empty list costs 3 bytes of a body and 60 of memory, so the number of values is bounded as well as the size. A
# conversation of a thousand messages with all of OpenCode's tools has about ten thousand.
MAX_VALUES: Final = 200_000
_MARKS: Final = b"[{,"
_STRING_OR_MARK: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[\[{,]', re.DOTALL)

# 64-bit integers have 20 digits; OpenCode's tool schemas have up to 16.
_MAX_DIGITS: Final = 20


class MalformedError(ValueError):
    """A body that is no JSON as the gateway wants it; the text says why."""


def loads(body: bytes) -> JSON:
    """The value of a UTF-8 JSON text.

    Lone surrogates (as ``\\udXXX``) are let through: OpenCode cuts long tool output in the middle of a character.

    Raises:
        MalformedError: no UTF-8, no JSON, a duplicate key, NaN or an infinity, or too deep, too many, too long.
    """
    if _too_many(body):
        raise MalformedError(f"the body holds more than {MAX_VALUES} values")
    try:
        value: JSON = json.loads(
            body.decode("utf-8"),
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_float,
            parse_constant=_constant,
        )
    except UnicodeDecodeError as error:
        raise MalformedError(f"the body is no UTF-8 at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise MalformedError(f"the body is no JSON: {error.msg} at character {error.pos}") from None
    except RecursionError:
        raise MalformedError(f"the body is nested deeper than {MAX_DEPTH}") from None
    if _deeper_than(value, MAX_DEPTH):
        raise MalformedError(f"the body is nested deeper than {MAX_DEPTH}")
    return value


def _too_many(body: bytes) -> bool:
    """Whether there are more than `MAX_VALUES` values, found one after the other: all at once take 50 bytes each."""
    # Text has brackets and commas too; it's looked through only where there are so many that it matters.
    if sum(body.count(mark) for mark in (b"[", b"{", b",")) <= MAX_VALUES:
        return False
    marks = strings = 0
    for match in _STRING_OR_MARK.finditer(body):
        if body[match.start()] in _MARKS:
            marks += 1
        else:
            strings += 1
        # Before each value stands a mark, and a value has one string, or two with its key: else it is no JSON.
        if marks > MAX_VALUES or strings > 2 * MAX_VALUES + 2:
            return True
    return False


def _object(pairs: list[tuple[str, JSON]]) -> dict[str, JSON]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise MalformedError("an object has the same key twice")
    return value


def _integer(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise MalformedError(f"a number has more than {_MAX_DIGITS} digits")
    return int(digits)


def _float(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise MalformedError("a number is too large")
    return number


def _constant(name: str) -> JSON:
    raise MalformedError(f"{name} is no JSON")


def _deeper_than(value: JSON, limit: int) -> bool:
    level = _containers([value])
    for _ in range(limit):
        level = _containers(item for parent in level for item in _items(parent))
    return bool(level)


def _containers(values: Iterable[JSON]) -> list[dict[str, JSON] | list[JSON]]:
    return [value for value in values if isinstance(value, dict | list)]


def _items(parent: dict[str, JSON] | list[JSON]) -> Iterable[JSON]:
    return parent.values() if isinstance(parent, dict) else parent
