"""Reading one setting's text: each function returns the value or raises ValueError with the reason."""

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

YEAR: Final = 365 * 24 * 3600  # seconds


def text(raw: str) -> str:
    """Any text that isn't empty and could be a path."""
    if not raw.strip():
        raise ValueError("is empty")
    if "\0" in raw:
        raise ValueError("holds a zero byte")
    return raw


def path(raw: str) -> str:
    """A path, as text: whether something is there is for its user to say."""
    return text(raw)


def replay(raw: str) -> Path:
    """``replay:PATH``, where PATH is a run folder or an archive: the path."""
    kind, colon, path = raw.partition(":")
    if (kind, colon) != ("replay", ":") or not path.strip() or "\0" in path:
        raise ValueError("must be replay:PATH, with a run folder or an archive; an endpoint is set by policy_base_url")
    return Path(path)


def boolean(raw: str) -> bool:
    """``true`` or ``false``, as TOML and Gym write them."""
    if raw.lower() not in {"true", "false"}:
        raise ValueError("must be true or false")
    return raw.lower() == "true"


def count(raw: str) -> int:
    """A whole number from 0."""
    if not re.fullmatch(r"[0-9]{1,15}", raw):
        raise ValueError("must be a whole number from 0")
    return int(raw)


def positive(raw: str) -> int:
    """A whole number from 1."""
    if not re.fullmatch(r"[0-9]{1,15}", raw) or int(raw) < 1:
        raise ValueError("must be a whole number, at least 1")
    return int(raw)


def seconds(raw: str) -> float:
    """A number of seconds above 0, of at most a year."""
    value = fraction(raw)
    if not 0 < value <= YEAR:
        raise ValueError(f"must be above 0 and at most {YEAR}")
    return value


def fraction(raw: str) -> float:
    """A finite number from 0."""
    value = _float(raw)
    if not math.isfinite(value) or value < 0:
        raise ValueError("must be a number from 0")
    return value


def share(raw: str) -> float:
    """A number from 0 to 1."""
    return number(0, 1)(raw)


def number(low: float, high: float) -> Callable[[str], float]:
    """Reads a number from ``low`` to ``high``."""

    def parse(raw: str) -> float:
        value = _float(raw)
        if not low <= value <= high:
            raise ValueError(f"must be a number from {low:g} to {high:g}")
        return value

    return parse


def _float(raw: str) -> float:
    # float() takes digits of every script, and underscores
    if not re.fullmatch(r"[0-9a-zA-Z.+-]{1,40}", raw):
        raise ValueError("must be a number")
    try:
        return float(raw)
    except ValueError:
        raise ValueError("must be a number") from None


def integer(raw: str) -> int:
    """A whole number, also below 0."""
    if not re.fullmatch(r"-?[0-9]{1,15}", raw):
        raise ValueError("must be a whole number")
    return int(raw)


def between(low: int, high: int) -> Callable[[str], int]:
    """Reads a whole number from ``low`` to ``high``."""

    def parse(raw: str) -> int:
        if not re.fullmatch(r"[0-9]{1,15}", raw) or not low <= int(raw) <= high:
            raise ValueError(f"must be a whole number from {low} to {high}")
        return int(raw)

    return parse


def one_of(*known: str) -> Callable[[str], str]:
    """Reads one of these words."""

    def parse(raw: str) -> str:
        if raw not in known:
            raise ValueError(f"must be one of {', '.join(known)}")
        return raw

    return parse


def or_none(parse: Callable[[str], float]) -> Callable[[str], float | None]:
    """Reads ``none`` as None, anything else as ``parse`` does."""
    return lambda raw: None if raw == "none" else parse(raw)


def names(raw: str) -> tuple[str, ...]:
    """Names separated by commas, each once."""
    found = tuple(part.strip() for part in raw.split(","))
    if not all(found):
        raise ValueError("holds an empty name")
    if len(set(found)) < len(found):
        raise ValueError("names a task twice")
    return found


def shard(raw: str) -> tuple[int, int]:
    """``I/N`` with 0 <= I < N."""
    match = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", raw)
    if not match or int(match[1]) >= int(match[2]):
        raise ValueError("must be I/N with I from 0 to N-1, such as 0/4")
    return int(match[1]), int(match[2])


def url(raw: str) -> str:
    """An http or https address without user, password, query or fragment; a closing slash is dropped."""
    if not raw.isascii() or not raw.isprintable() or " " in raw:
        raise ValueError("holds signs that no web address has")
    try:
        parts = urlsplit(raw)
        _ = parts.port
    except ValueError:
        raise ValueError("is no web address") from None
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError("must start with http:// or https:// and name a host")
    if parts.username or parts.password:
        raise ValueError("must not hold a user or password; keys come from the environment or a file")
    if parts.query or parts.fragment:
        raise ValueError("must not hold a query or a fragment")
    return raw.rstrip("/")
