"""Where a request departs from a recorded one, in words for a person: bounded, and without signs that a terminal obeys.

Both are bodies that the gateway has let through, so they are JSON of a depth that recursion can follow.
"""

import json
import re
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Final, TypeAlias

import attrs

from harness.gateway.fields import Refused
from harness.gateway.images import read_data_url
from harness.store.canonical import JSON
from harness.store.cutting import common_prefix

_BEFORE: Final = 40  # characters shown before the first one that differs
_AFTER: Final = 80  # ... and from it on
_PATH_MAX: Final = 200
_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,59}")


class _Nothing:
    """Stands for a value that isn't there."""


_NOTHING: Final = _Nothing()
_Value: TypeAlias = "JSON | _Nothing"
_Step: TypeAlias = str | int


@attrs.frozen
class _Place:
    path: tuple[_Step, ...]
    there: _Value
    now: _Value


def difference(there: bytes, now: bytes) -> str:
    """The first place where the request ``now`` is another one than the recorded ``there``, as a clause."""
    recorded, asked = json.loads(there), json.loads(now)
    place = _first((), recorded, asked)
    if place is None:
        return f"in how the JSON is written, at byte {common_prefix(there, now)}"
    where = _path(place.path)
    if role := _role(place.path, asked) or _role(place.path, recorded):
        where = f"message {place.path[1]} ({_shown(role, 0)}), {where}"
    if isinstance(place.there, str) and isinstance(place.now, str):
        at = _departs(place.there, place.now)
        where += f", character {at}"
    else:
        at = 0
    return f"at {where}: the record has {_told(place.there, at)}, and this request {_told(place.now, at)}"


def _first(path: tuple[_Step, ...], there: _Value, now: _Value) -> _Place | None:
    """The first place, in the order of the record, where two values differ."""
    if isinstance(there, Mapping) and isinstance(now, Mapping):
        for name in dict.fromkeys((*there, *now)):
            if found := _first((*path, name), there.get(name, _NOTHING), now.get(name, _NOTHING)):
                return found
        return None
    if isinstance(there, list) and isinstance(now, list):
        for index, (one, other) in enumerate(zip_longest(there, now, fillvalue=_NOTHING)):
            if found := _first((*path, index), one, other):
                return found
        return None
    # 1 is not true, and neither is it 1.0 for whoever compares bytes.
    return None if type(there) is type(now) and there == now else _Place(path, there, now)


def _role(path: Sequence[_Step], body: JSON) -> str | None:
    """The role of the message that a path leads into."""
    match path, body:
        case ["messages", int(index), *_], {"messages": [*messages]} if index < len(messages):
            message = messages[index]
            role = message.get("role") if isinstance(message, Mapping) else None
            return role if isinstance(role, str) else None
    return None


def _path(path: Sequence[_Step]) -> str:
    text = "".join(
        f"[{step}]" if isinstance(step, int) else f".{step}" if _PLAIN.fullmatch(step) else f"[{step[:60]!r}]"
        for step in path
    ).removeprefix(".")
    return text if len(text) <= _PATH_MAX else f"{text[:_PATH_MAX]}..."


def _departs(there: str, now: str) -> int:
    """The number of the first character, from 0, in which two texts differ."""
    pairs = enumerate(zip(there, now, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(there), len(now)))


def _told(value: _Value, at: int) -> str:
    if isinstance(value, _Nothing):
        return "nothing"
    if isinstance(value, str):
        return _image(value) or _shown(value, at)
    text = json.dumps(value)
    return text if len(text) <= _BEFORE + _AFTER else f"{text[: _BEFORE + _AFTER]}..."


def _image(text: str) -> str | None:
    """An image by its digest: its base64 tells nobody anything."""
    if not text.startswith("data:image/"):
        return None
    try:
        return f"the image {read_data_url(text).sha256}"
    except Refused:
        return None


def _shown(text: str, at: int) -> str:
    """The text around a character; what can't be printed is escaped."""
    start, end = max(0, at - _BEFORE), at + _AFTER
    return f"{'...' if start else ''}{text[start:end]!r}{'...' if end < len(text) else ''}"
