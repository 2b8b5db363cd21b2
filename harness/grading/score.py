"""A rollout's score: a pure function of the rollout, the gold answer and what the judge said."""

from collections.abc import Mapping

from harness.errors import JudgeError, JudgeUnparseableError
from harness.grading import verdict as verdicts
from harness.grading.prompt import EXTRACTED_MAX, cut_note
from harness.grading.string_match import string_match
from harness.grading.verdict import Verdict
from harness.store.canonical import JSON
from harness.store.digests import Digest
from harness.store.score import JudgeRef, Score

__all__ = ["REASON_MAX", "JudgeRef", "Score", "judged", "read_call", "unanswered"]

REASON_MAX = 2000  # characters; Gym's limit for a failure's reason


def unanswered(ended: str, failure_kind: str | None = None) -> Score:
    """The score of a rollout without a final answer; the judge is not asked.

    ``ended`` names the outcome, ``failure_kind`` is Gym's word for it where something failed: then the reward is 0
    all the same, since in Gym a failure is one thing and a masked sample another.
    """
    reason = f"There is no final answer: {ended}."
    return Score(
        reward=0.0, reason=reason, failure_kind=failure_kind, failure_reason=None if failure_kind is None else reason
    )


def judged(
    extracted: str | None, gold: str, calls: Mapping[int, Mapping[str, JSON]], *, model: str, request: Digest
) -> Score:
    """The score of an answered rollout, by the judge's calls in the order of their numbers: the first verdict counts.

    Without one the score is masked, and the last call says why. An extracted answer longer than what the judge sees
    is kept as far as it was seen, and the reason says so.
    """
    seen = None if extracted is None else extracted[:EXTRACTED_MAX]
    matches = string_match(extracted, gold)
    failure: JudgeError = JudgeError("The judge was not asked.")
    for number, call in calls.items():
        try:
            verdict = read_call(call)
        except JudgeError as error:
            failure = error
            continue
        return Score(
            reward=1.0 if verdict.verdict == "equivalent" else 0.0,
            verdict=verdict.verdict,
            reason=f"{verdict.reason[:REASON_MAX]} {cut_note(extracted)}".strip(),
            extracted_answer=seen,
            string_match=matches,
            judge=JudgeRef(model=model, request=request, number=number),
        )
    return Score(
        reward=None,
        extracted_answer=seen,
        string_match=matches,
        mask_sample=True,
        failure_kind="judge_unparseable" if isinstance(failure, JudgeUnparseableError) else "judge_failed",
        failure_reason=str(failure)[:REASON_MAX],
        judge=JudgeRef(model=model, request=request, number=max(calls, default=None)),
    )


def read_call(call: Mapping[str, JSON]) -> Verdict:
    """The verdict of a kept call; raises JudgeError where the call failed, JudgeUnparseableError where it has none."""
    match call:
        case {"body": str(body)}:
            return verdicts.parse(verdicts.reply_text(body))
        case {"failure": str(failure)}:
            raise JudgeError(failure)
        case _:
            raise JudgeError("The kept call of the judge holds neither an answer nor a failure.")
