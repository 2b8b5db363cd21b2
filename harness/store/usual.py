"""Canonical JSON of usual values by the standard library's encoder, which is many times quicker than one in Python.

It writes what RFC 8785 wants but for keys beyond ASCII (sorted by another unit), integers beyond 2**53 - 1 (refused
there), and floating-point numbers that JavaScript writes in another form. Values with one of these are not usual.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

# The largest integer that every reader of JSON keeps exactly (RFC 8785, section 3.2.2.3).
INT_MAX: Final = 2**53 - 1
# From here on Python writes an exponent; JavaScript does so from 1e-7 down and from 1e21 up.
_SMALL: Final = 1e-4
_LARGE: Final = 1e16

_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


class _UnusualError(Exception):
    """Somebody else must write this."""


def encoded(value: object) -> bytes | None:
    """The canonical bytes; None where the value is not usual, or can't be written at all."""
    try:
        return _ENCODER.encode(_usual(value)).encode()
    except (_UnusualError, UnicodeEncodeError, RecursionError):
        return None


def _usual(value: Any) -> Any:
    """The value with mappings of every class as dict, and whole numbers as int."""
    kind = type(value)
    if kind is str or value is None or kind is bool:
        return value
    if kind is dict:
        if all(type(key) is str and key.isascii() for key in value):
            return {key: _usual(item) for key, item in value.items()}
    elif kind is list or kind is tuple:
        return [_usual(item) for item in value]
    elif kind is int:
        if -INT_MAX <= value <= INT_MAX:
            return value
    elif kind is float:
        if value.is_integer():
            return _usual(int(value))
        if _SMALL <= abs(value) < _LARGE:
            return value
    elif isinstance(value, Mapping):
        return _usual(dict(value))
    raise _UnusualError
