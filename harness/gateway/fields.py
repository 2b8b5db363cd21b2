"""Checks that the parts of a request share; whatever doesn't fit is Refused."""

from collections.abc import Iterable, Mapping

from harness.store.canonical import JSON


class Refused(Exception):  # noqa: N818 - it is no error of the harness but a decision about what a sandbox sent
    """A request that the gateway does not pass on; ``reason`` is told to the sandbox and recorded."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(f"{status}: {reason}")
        self.status = status
        self.reason = reason


def shown(value: object) -> str:
    """A short ASCII form of anything, for a reason."""
    return ascii(value)[:100]


def an_object(value: JSON, what: str, allowed: Iterable[str], required: Iterable[str] = ()) -> Mapping[str, JSON]:
    """``value`` as an object that has no key but the ``allowed`` and all of the ``required``."""
    if not isinstance(value, Mapping):
        raise Refused(400, f"{what} is no object")
    required = frozenset(required)
    for name in sorted(value.keys() - required - frozenset(allowed)):
        raise Refused(400, f"{what} has the field {shown(name)}, which is not allowed here")
    for name in sorted(required - value.keys()):
        raise Refused(400, f"{what} lacks {name!r}")
    return value


def a_list(value: JSON, what: str) -> list[JSON]:
    """``value`` as a list that is not empty."""
    if not isinstance(value, list) or not value:
        raise Refused(400, f"{what} is no list, or an empty one")
    return value


def a_string(value: JSON, what: str) -> str:
    """``value`` as a string."""
    if not isinstance(value, str):
        raise Refused(400, f"{what} is no string")
    return value


def a_number(value: JSON, what: str) -> float:
    """``value`` as a number; true and false are none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Refused(400, f"{what} is no number")
    return value


def one_of(value: JSON, what: str, choices: tuple[JSON, ...]) -> None:
    """``value`` is one of the ``choices``, and of the same type (1 is not true)."""
    if not any(type(value) is type(choice) and value == choice for choice in choices):
        raise Refused(400, f"{what} is {shown(value)}; allowed is {', '.join(map(shown, choices))}")
