"""Canonical JSON (RFC 8785), written and read strictly.

Everything whose bytes are hashed is written by `dumps`. The format knows no integers beyond 2**53 - 1 and no lone
surrogates: times in nanoseconds are strings, and text from outside passes through `escape_surrogates` first.
"""

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NoReturn, TypeAlias

import rfc8785

from harness.errors import CanonicalError
from harness.store.usual import INT_MAX, encoded

JSON: TypeAlias = "bool | int | float | str | Sequence[JSON] | Mapping[str, JSON] | None"

# Doubles below 1e21 are written without a point (RFC 8785): no whole number has more characters.
DIGITS_MAX: Final = len("-100000000000000000000")

# Of brackets and commas outside of texts, by their weight: some 30 for each call of a record, of which a sandbox can
# make 36,000 in its half hour. Read as values they take 160 MB.
SIGNS_MAX: Final = 1_500_000
_TEXT = re.compile(rb'"(?:[^"\\]++|\\.)*+"')

# A run of backslashes is only tried from its start, so that a text of nothing else is not slow.
_SLASHES = re.compile(r"(?<!\\)(\\+)(?=[\ud800-\udfff]|ud[89a-f][0-9a-f]{2})")
_ESCAPED = re.compile(r"(?<!\\)(\\+)(ud[89a-f][0-9a-f]{2})")


def dumps(value: JSON) -> bytes:
    """The canonical bytes of a value made of mappings, lists, tuples, str, int, float, bool and None.

    Raises CanonicalError, which says where in the value the trouble is.
    """
    data = encoded(value)
    if data is not None:
        return data
    try:
        return rfc8785.dumps(_copied(_same, value))
    except (rfc8785.CanonicalizationError, UnicodeEncodeError, RecursionError) as error:
        raise CanonicalError(f"This value has no canonical JSON: {_trouble(value)}.") from error


def dumps_escaped(value: JSON) -> bytes:
    """`dumps` of what `escape_all` makes of a value: any text may stand in it."""
    data = encoded(value)
    # Most values need no escape, and it shows in their bytes: a backslash is written as two.
    return dumps(escape_all(value)) if data is None or b"\\\\ud" in data else data


def loads_strict(data: bytes, *, canonical: bool = False) -> JSON:
    """Read UTF-8 JSON; raises CanonicalError for all that two readers could understand differently.

    Refused are duplicate keys, NaN and infinities, numbers that a double does not hold, lone surrogates and a byte
    order mark; and values by the million, which take ten times as much memory as bytes. With ``canonical``, so are
    bytes that `dumps` would not have written.
    """
    if _signs(data) > SIGNS_MAX and _signs(_TEXT.sub(b"", data)) > SIGNS_MAX:
        raise CanonicalError("This JSON has more values than the harness reads.")
    try:
        value: JSON = json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=finite,
            parse_constant=no_constant,
        )
    except UnicodeDecodeError as error:
        raise CanonicalError(f"This is no UTF-8: byte {error.start} of {len(data)} is wrong.") from error
    except (json.JSONDecodeError, RecursionError) as error:
        raise CanonicalError(f"This is no JSON: {error}.") from error
    written = dumps(value)
    if canonical and written != data:
        raise CanonicalError("This is JSON, but not in its canonical form (RFC 8785).")
    return value


def _signs(data: bytes) -> int:
    """At least one for each value; an object takes four times as much memory as a list."""
    return 4 * data.count(b"{") + data.count(b"[") + data.count(b",")


def escape_surrogates(text: str) -> str:
    r"""Write each lone surrogate as ``\udXXX``, so that any text can stand in canonical JSON.

    `unescape_surrogates` gives the same text back. Text that itself reads ``\udXXX`` has the backslashes before it
    doubled; all other text stays as it is.
    """
    if _is_plain(text):
        return text
    # In two steps that run in C: a model can send millions of surrogates.
    return _SLASHES.sub(r"\1\1", text).encode("utf-8", "backslashreplace").decode("utf-8")


def unescape_surrogates(text: str) -> str:
    """Undo `escape_surrogates`."""
    if "\\ud" not in text:
        return text

    def unescape(match: re.Match[str]) -> str:
        slashes, rest = match.groups()
        half = slashes[: len(slashes) // 2]
        return half + (chr(int(rest[1:], 16)) if len(slashes) % 2 else rest)

    return _ESCAPED.sub(unescape, text)


def _is_plain(text: str) -> bool:
    """Whether there is nothing to escape in a text, as in almost every one; much quicker told than looked for."""
    if "\\ud" in text:
        return False
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def escape_all(value: JSON) -> JSON:
    """The same value with every text and key passed through `escape_surrogates`."""
    return _each_text(escape_surrogates, value)


def unescape_all(value: JSON) -> JSON:
    """Undo `escape_all`."""
    return _each_text(unescape_surrogates, value)


def _each_text(change: Callable[[str], str], value: JSON) -> JSON:
    try:
        return _copied(change, value)
    except RecursionError as error:
        raise CanonicalError("This value is nested too deeply.") from error


def _copied(change: Callable[[str], str], value: JSON) -> JSON:
    """The value with its texts changed, and its mappings, of whatever class, as dict; other types stay as they are."""
    if isinstance(value, str):
        return change(value)
    if type(value) is dict or isinstance(value, Mapping):  # the second takes long to tell
        return {change(key) if isinstance(key, str) else key: _copied(change, item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_copied(change, item) for item in value]
    return value


def _same(text: str) -> str:
    return text


def _object(pairs: list[tuple[str, JSON]]) -> dict[str, JSON]:
    value = dict(pairs)
    if len(value) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise CanonicalError(f"The key {twice!r} stands twice in one JSON object.")
    return value


def _integer(digits: str) -> int | float:
    # RFC 8785 writes doubles below 1e21 without a point, so digits that are just such a double are read as one.
    if len(digits) <= DIGITS_MAX:
        number = int(digits)
        if abs(number) <= INT_MAX:
            return number
        if rfc8785.dumps(float(number)) == digits.encode():
            return float(number)
    raise CanonicalError(f"The integer {digits[:40]} is beyond 2**53 - 1; such numbers must be strings.")


def finite(digits: str) -> float:
    """A number with a point or an exponent, for `json.loads`; raises CanonicalError beyond a double."""
    number = float(digits)
    if not math.isfinite(number):
        raise CanonicalError(f"The number {digits[:40]} is too large for a double.")
    return number


def no_constant(name: str) -> NoReturn:
    """Refuses NaN and infinities, for `json.loads`; raises CanonicalError."""
    raise CanonicalError(f"{name} is no JSON.")


def _trouble(value: object) -> str:
    return next(_troubles(value, "$", 0), "it is nested too deeply")


def _troubles(value: object, where: str, depth: int) -> Iterator[str]:
    if depth > 200:
        return
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > INT_MAX:
        yield f"the integer at {where} is beyond 2**53 - 1 (write it as a string)"
    elif isinstance(value, float) and not math.isfinite(value):
        yield f"{value} at {where} is no JSON number"
    elif isinstance(value, str) and _has_surrogate(value):
        yield f"the text at {where} holds a lone surrogate (pass it through escape_surrogates)"
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str) or _has_surrogate(key):
                yield f"the key {key!r} at {where} is no Unicode text"
            else:
                yield from _troubles(item, f"{where}.{key}", depth + 1)
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _troubles(item, f"{where}[{index}]", depth + 1)
    elif value is not None and not isinstance(value, str | int | float):
        yield f"{type(value).__name__} at {where} is no JSON type"


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)
