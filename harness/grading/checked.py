"""A score by a benchmark's own rule, whose result is checked: only a number from 0 to 1 is a reward."""

from numbers import Real
from typing import Any

from harness.errors import UsageError
from harness.grading.extraction import boxed
from harness.grading.item import Item
from harness.grading.own import MEND, Own, calling
from harness.grading.prompt import EXTRACTED_MAX
from harness.grading.score import Score, unanswered
from harness.grading.string_match import string_match


def score(own: Own, item: Item) -> Score:
    """The score of a rollout by the file's rule; without an answer it is 0, and the rule is not asked.

    Raises UsageError, with the file, where the rule raises anything or returns no reward.
    """
    if item.answer is None or not item.answer.strip():
        return unanswered(item.ended, item.failure_kind)
    assert own.rule is not None, "a judge grades"
    what = f"grading task {item.task!r}"
    with calling(own.path, what, MEND):
        rewarded = reward(own.rule(item.answer, item.gold), f"{own.path}, {what}")
    extracted = boxed(item.answer)
    return Score(
        reward=rewarded,
        reason="By the benchmark's own rule.",
        extracted_answer=None if extracted is None else extracted[:EXTRACTED_MAX],
        string_match=string_match(extracted, item.gold),
    )


def reward(found: Any, where: str) -> float:
    """A rule's result as a reward; raises UsageError, which names ``where``, for all but a number from 0 to 1."""
    if not _is_number(found):
        raise UsageError(
            f"{where}: the rule returned {_shown(found)} ({type(found).__name__}). A reward is a number from 0 to 1: "
            f"float(...) makes one of True and False. {MEND}"
        )
    if not 0 <= found <= 1:  # nor is NaN
        raise UsageError(f"{where}: the rule returned {_shown(found)}. A reward is a number from 0 to 1. {MEND}")
    return float(found) + 0.0  # of -0.0 it makes 0.0


def _is_number(found: object) -> bool:
    """Python counts bools among the numbers; NumPy's numbers are some, too."""
    return isinstance(found, Real) and not isinstance(found, bool)


def _shown(found: object) -> str:
    text = repr(found)
    return text if len(text) <= 80 else f"{text[:80]}..."
