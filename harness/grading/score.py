"""A rollout's score: a pure function of the rollout, the gold answer and what the judge said."""

from collections.abc import Mapping

import attrs

from harness.errors import CanonicalError, JudgeError, JudgeUnparseableError
from harness.grading import verdict as verdicts
from harness.grading.prompt import EXTRACTED_MAX, cut_note
from harness.grading.string_match import string_match
from harness.grading.verdict import Verdict
from harness.store.canonical import JSON
from harness.store.digests import Digest
from harness.store.fields import Fields

FORMAT = 1
REASON_MAX = 2000  # characters; Gym's limit for a failure's reason


@attrs.frozen(kw_only=True)
class JudgeRef:
    """Which of the judge's calls a score rests on; ``number`` is None where there is none."""

    model: str
    request: Digest
    number: int | None


@attrs.frozen(kw_only=True)
class Score:
    """What a rollout is worth; field names are Gym's where Gym has one.

    ``mask_sample``: no valid measurement. Then there is no reward, and the failure's kind and reason say why.
    """

    reward: float | None
    verdict: str | None = None
    reason: str | None = None
    extracted_answer: str | None = None
    string_match: bool | None = None
    mask_sample: bool = False
    failure_kind: str | None = None
    failure_reason: str | None = None
    judge: JudgeRef | None = None

    def to_json(self) -> dict[str, JSON]:
        """As it is kept in the run folder."""
        return {"format": FORMAT, **attrs.asdict(self)}

    @classmethod
    def from_json(cls, value: Mapping[str, JSON]) -> "Score":
        """Read a kept score strictly; raises CanonicalError."""
        fields = Fields(value, "the score")
        if fields.integer("format") != FORMAT:
            raise CanonicalError(f"The score's format is {value['format']!r}; this version reads {FORMAT}.")
        score = cls(
            reward=fields.optional("reward", fields.number),
            verdict=fields.optional("verdict", fields.text),
            reason=fields.optional("reason", fields.text),
            extracted_answer=fields.optional("extracted_answer", fields.text),
            string_match=fields.optional("string_match", fields.flag),
            mask_sample=fields.flag("mask_sample"),
            failure_kind=fields.optional("failure_kind", fields.text),
            failure_reason=fields.optional("failure_reason", fields.text),
            judge=fields.optional("judge", lambda name: _judge(fields.any(name))),
        )
        fields.end()
        return score


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


def _judge(value: JSON) -> JudgeRef:
    fields = Fields(value, "the score's judge")
    judge = JudgeRef(
        model=fields.text("model"), request=fields.digest("request"), number=fields.optional("number", fields.integer)
    )
    fields.end()
    return judge
