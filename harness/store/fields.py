"""Reading the fields of a JSON object strictly: every field of its type, none missing, none unknown."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from harness.errors import CanonicalError
from harness.store.canonical import JSON
from harness.store.digests import Digest, parse_digest

T = TypeVar("T")


class Fields:
    """One JSON object whose fields are taken one by one; every method raises CanonicalError with the place."""

    def __init__(self, value: JSON, where: str) -> None:
        if not isinstance(value, Mapping):
            raise CanonicalError(f"{where} is no JSON object.")
        self._left = dict(value)
        self._where = where

    def end(self) -> None:
        """All fields are taken; one that is left is an error."""
        if self._left:
            raise CanonicalError(f"{self._where} has fields that are not known: {', '.join(sorted(self._left))}.")

    def any(self, name: str) -> JSON:
        """A field of any type."""
        if name not in self._left:
            raise CanonicalError(f"{self._where} lacks the field {name!r}.")
        return self._left.pop(name)

    def text(self, name: str) -> str:
        """Text."""
        value = self.any(name)
        if not isinstance(value, str):
            raise self._wrong(name, "text")
        return value

    def integer(self, name: str) -> int:
        """A whole number from 0."""
        value = self.any(name)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise self._wrong(name, "a whole number from 0")
        return value

    def number(self, name: str) -> float:
        """A number."""
        value = self.any(name)
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise self._wrong(name, "a number")
        return float(value)

    def share(self, name: str) -> float:
        """A number from 0 to 1."""
        value = self.any(name)
        # No NaN is, and no integer is turned into a float that is too large to be one.
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
            raise self._wrong(name, "a number from 0 to 1")
        return float(value)

    def nanoseconds(self, name: str) -> int:
        """Nanoseconds since 1970, which stand as text since they are beyond 2**53."""
        value = self.any(name)
        if not isinstance(value, str) or re.fullmatch(r"0|[1-9][0-9]{0,19}", value) is None:
            raise self._wrong(name, "a text of decimal digits")
        return int(value)

    def flag(self, name: str) -> bool:
        """True or false."""
        value = self.any(name)
        if not isinstance(value, bool):
            raise self._wrong(name, "true or false")
        return value

    def digest(self, name: str) -> Digest:
        """A SHA-256."""
        try:
            return parse_digest(self.any(name))
        except CanonicalError as error:
            raise self._wrong(name, "a SHA-256 digest") from error

    def mapping(self, name: str) -> Mapping[str, JSON]:
        """A JSON object of any fields."""
        value = self.any(name)
        if not isinstance(value, Mapping):
            raise self._wrong(name, "an object")
        return value

    def items(self, name: str, read: Callable[[JSON], T]) -> tuple[T, ...]:
        """A list, each item read by ``read``."""
        value = self.any(name)
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise self._wrong(name, "a list")
        return tuple(read(item) for item in value)

    def optional(self, name: str, read: Callable[[str], T]) -> T | None:
        """None, or what one of the methods above makes of the field."""
        if name in self._left and self._left[name] is None:
            del self._left[name]
            return None
        return read(name)

    def _wrong(self, name: str, expected: str) -> CanonicalError:
        return CanonicalError(f"The field {name!r} of {self._where} must be {expected}.")


def text(value: JSON) -> str:
    """A list's item that is text."""
    if not isinstance(value, str):
        raise CanonicalError(f"{value!r} must be text.")
    return value


def integer(value: JSON) -> int:
    """A list's item that is a whole number from 0."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise CanonicalError(f"{value!r} must be a whole number from 0.")
    return value


def mapping(value: JSON) -> Mapping[str, JSON]:
    """A list's item that is an object of any fields."""
    if not isinstance(value, Mapping):
        raise CanonicalError(f"{value!r} must be an object.")
    return value
