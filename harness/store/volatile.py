"""What differs between two equal answers (ids, times, the server's build), taken out of the bytes and put back.

An endpoint gives each answer a new ``id`` and a time, and each tool call an id that later requests repeat. In a
*template* such a value is replaced by a name between two SUB characters (0x1A, which JSON never holds raw), so that
equal talks have equal templates; the values are kept beside it, and together they give the very bytes again:

- ``SUB number SUB``: the id of that number, counted through the whole talk in order of appearance. So the template
  still says which ids are the same, e.g. which tool call a tool's output belongs to.
- ``SUB name SUB``: the next value of the field of that name in this answer.
- ``SUB SUB``: a SUB that stood there itself.

Text that a model makes can't be mistaken for a field: inside a JSON string a quotation mark is escaped.
"""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from harness.errors import StoreCorruptError

SUB = b"\x1a"

# Per field the values in order, each with how often it stands there in a row.
Runs: TypeAlias = Mapping[str, tuple[tuple[str, int], ...]]

# Chat completion objects and chunks; `timings` is what llama.cpp's server adds.
_ANSWER = re.compile(
    rb'(?P<id>"id"\s*:\s*")(?P<text>[ !#-\[\]-~]+)"'
    rb'|(?P<head>"(?P<name>created|system_fingerprint|timings)"\s*:\s*)'
    rb'(?P<value>-?[0-9][0-9.eE+-]*|"[ !#-\[\]-~]*"|\{[ -z|~]*\})'
)
_ECHO = re.compile(rb'("(?:id|tool_call_id)"\s*:\s*")([ !#-\[\]-~]+)"')
_HOLE = re.compile(rb"\x1a([a-z0-9_]*)\x1a")


class Ids:
    """The ids of one talk, numbered in order of appearance."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def request(self, data: bytes) -> bytes:
        """The template of a request: ids that an earlier answer gave become their numbers."""

        def replace(match: re.Match[bytes]) -> bytes:
            number = self._numbers.get(match[2].decode())
            return match[0] if number is None else match[1] + _hole(str(number)) + b'"'

        return _ECHO.sub(replace, _guard(data))

    def answer(self, data: bytes) -> tuple[bytes, Runs]:
        """The template of an answer and the values of its fields; its ids are numbered."""
        values: dict[str, list[str]] = {}

        def replace(match: re.Match[bytes]) -> bytes:
            if match["id"]:
                number = self._numbers.setdefault(match["text"].decode(), len(self._numbers))
                return match["id"] + _hole(str(number)) + b'"'
            name = match["name"].decode()
            values.setdefault(name, []).append(match["value"].decode())
            return match["head"] + _hole(name)

        template = _ANSWER.sub(replace, _guard(data))
        return template, {
            name: tuple((value, len(list(run))) for value, run in itertools.groupby(items))
            for name, items in values.items()
        }


def restore(template: bytes, ids: Sequence[str], runs: Runs) -> bytes:
    """The bytes that a template was made of; raises StoreCorruptError when a value is missing or left over."""
    queues = {
        name: itertools.chain.from_iterable(itertools.repeat(value, count) for value, count in items)
        for name, items in runs.items()
    }

    def fill(match: re.Match[bytes]) -> bytes:
        name = match[1].decode()
        if not name:
            return SUB
        if name.isdecimal() and int(name) < len(ids):
            return ids[int(name)].encode()
        value = next(queues.get(name, iter(())), None)
        if value is None:
            raise StoreCorruptError(f"A template asks for a value of {name!r} that the record doesn't hold.")
        return value.encode()

    data = _HOLE.sub(fill, template)
    for name, queue in queues.items():
        if next(queue, None) is not None:
            raise StoreCorruptError(f"The record holds a value of {name!r} that no template asks for.")
    return data


def _guard(data: bytes) -> bytes:
    return data.replace(SUB, SUB + SUB)


def _hole(name: str) -> bytes:
    return SUB + name.encode() + SUB
