"""The file of a score: what a rollout is worth, and which of the judge's calls that rests on."""

from collections.abc import Mapping

import attrs

from harness.errors import CanonicalError
from harness.store.canonical import JSON
from harness.store.digests import Digest
from harness.store.fields import Fields

FORMAT = 1


@attrs.frozen(kw_only=True)
class JudgeRef:
    """Which of the judge's calls a score rests on; ``number`` is None where there is none."""

    model: str
    request: Digest
    number: int | None


@attrs.frozen(kw_only=True)
class Score:
    """What a rollout is worth; field names are Gym's where Gym has one.

    ``reward``: from 0 to 1. ``mask_sample``: no valid measurement. Then there is no reward, and the failure's kind and
    reason say why.
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
        judge = None if self.judge is None else attrs.asdict(self.judge, recurse=False)
        return {"format": FORMAT, **attrs.asdict(self, recurse=False), "judge": judge}

    @classmethod
    def from_json(cls, value: Mapping[str, JSON]) -> "Score":
        """Read a kept score strictly; raises CanonicalError."""
        fields = Fields(value, "the score")
        if fields.integer("format") != FORMAT:
            raise CanonicalError(f"The score's format is {value['format']!r}; this version reads {FORMAT}.")
        score = cls(
            reward=fields.optional("reward", fields.share),
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


def _judge(value: JSON) -> JudgeRef:
    fields = Fields(value, "the score's judge")
    judge = JudgeRef(
        model=fields.text("model"), request=fields.digest("request"), number=fields.optional("number", fields.integer)
    )
    fields.end()
    return judge
