"""How many tokens a conversation took, as its endpoint counted them."""

from collections.abc import Iterable, Sequence

import attrs

from harness.gateway.answer import Answer
from harness.store.canonical import JSON
from harness.store.usual import INT_MAX


@attrs.frozen
class Tokens:
    """Sums over the calls on a chain. A call's input holds all that was said before, so it is counted anew each time.

    ``input`` and ``output`` are None unless every answer says them; ``reasoning`` (a part of the output) and ``cached``
    (a part of the input) are None where no answer says them. Absurd numbers are none.
    """

    input: int | None
    output: int | None
    reasoning: int | None
    cached: int | None

    @classmethod
    def of(cls, answers: Sequence[Answer]) -> "Tokens":
        """Of the answers on a chain."""
        return cls(
            input=_all(answer.usage.prompt for answer in answers),
            output=_all(answer.usage.completion for answer in answers),
            reasoning=_known(answer.usage.reasoning for answer in answers),
            cached=_known(answer.usage.cached for answer in answers),
        )

    def usage(self) -> dict[str, JSON] | None:
        """As the Responses API says it; None where it would be wrong. What no answer says is 0 there."""
        if self.input is None or self.output is None:
            return None
        return {
            "input_tokens": self.input,
            "input_tokens_details": {"cache_write_tokens": 0, "cached_tokens": self.cached or 0},
            "output_tokens": self.output,
            "output_tokens_details": {"reasoning_tokens": self.reasoning or 0},
            "total_tokens": self.input + self.output,
        }


def _all(counts: Iterable[int | None]) -> int | None:
    found = list(counts)
    known = _sane(found)
    return sum(known) if known and len(known) == len(found) else None


def _known(counts: Iterable[int | None]) -> int | None:
    known = _sane(counts)
    return sum(known) if known else None


def _sane(counts: Iterable[int | None]) -> list[int]:
    return [count for count in counts if count is not None and count <= INT_MAX]
