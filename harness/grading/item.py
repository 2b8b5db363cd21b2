"""What of a rollout's record a score depends on, and nothing else."""

from collections.abc import Mapping
from typing import Any, Final, Self

import attrs

ANSWERED: Final = "answered"  # the one outcome whose text is the model's final answer


@attrs.frozen(kw_only=True)
class Ended:
    """How an attempt ended. ``kind`` names its outcome, ``failure_kind`` is Gym's word for it; ``answer`` is text."""

    kind: str
    masked: bool
    failure_kind: str | None
    answer: str | None

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> Self:
        """Of a record's content as JSON; raises KeyError or TypeError for what is none."""
        outcome = content["outcome"]
        return cls(
            kind=outcome["kind"],
            masked=outcome["masked"],
            failure_kind=outcome["failure_kind"],
            answer=content["answer"],
        )


@attrs.frozen(kw_only=True)
class Item:
    """One rollout to grade.

    ``answer``: the model's final text, None where the outcome is that there is none. ``ended`` names the outcome,
    ``failure_kind`` is Gym's word for it, None where nothing failed.
    """

    task: str
    repeat: int
    question: str
    gold: str
    answer: str | None
    ended: str
    failure_kind: str | None = None

    @classmethod
    def of(cls, task: str, repeat: int, question: str, gold: str, ended: Ended) -> Self:
        """A rollout that counts, with the question as it was put and the right answer."""
        return cls(
            task=task,
            repeat=repeat,
            question=question,
            gold=gold,
            answer=ended.answer if ended.kind == ANSWERED else None,
            ended=ended.kind,
            failure_kind=ended.failure_kind,
        )
