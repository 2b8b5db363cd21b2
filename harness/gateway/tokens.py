"""Token ids and log-probabilities of an answer, as vLLM's server returns them where it is asked for both.

Asked with ``return_token_ids`` and ``logprobs``, it gives ``prompt_token_ids`` beside ``choices`` (of a stream: in the
first chunk), and in the choice of each chunk ``token_ids`` and ``logprobs.content``, one item a token; null or missing
where a chunk has none.
"""

import math
from collections.abc import Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")


class Gathered:
    """Takes the chunks of one answer. A list with a piece that can't be read is none: places would not fit."""

    def __init__(self) -> None:
        self._prompt: list[int] | None = []
        self._ids: list[int] | None = []
        self._logprobs: list[float] | None = []

    def add(self, chunk: Mapping[str, object], choice: Mapping[str, object]) -> None:
        """Takes one chunk and its choice."""
        self._prompt = self._prompt or _ids(chunk.get("prompt_token_ids"))
        self._ids = _joined(self._ids, _ids(choice.get("token_ids")))
        self._logprobs = _joined(self._logprobs, _logprobs(choice.get("logprobs")))

    def prompt(self) -> tuple[int, ...]:
        """The prompt's token ids."""
        return tuple(self._prompt or ())

    def ids(self) -> tuple[int, ...]:
        """The answer's token ids."""
        return tuple(self._ids or ())

    def logprobs(self) -> tuple[float, ...]:
        """The natural logarithms of their probabilities."""
        return tuple(self._logprobs or ())


def _joined(before: list[T] | None, more: list[T] | None) -> list[T] | None:
    if before is None or more is None:
        return None
    before += more
    return before


def _ids(value: object) -> list[int] | None:
    if value is None:
        return []
    if not isinstance(value, list) or any(type(item) is not int or item < 0 for item in value):
        return None
    return value


def _logprobs(value: object) -> list[float] | None:
    content = value.get("content") if isinstance(value, Mapping) else value
    if content is None:
        return []
    items: Sequence[object] = content if isinstance(content, list) else (None,)
    found = [_finite(item.get("logprob") if isinstance(item, Mapping) else None) for item in items]
    numbers = [item for item in found if item is not None]
    return numbers if len(numbers) == len(found) else None


def _finite(value: object) -> float | None:
    try:
        number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    except OverflowError:  # a whole number of hundreds of digits
        return None
    return number if math.isfinite(number) else None
