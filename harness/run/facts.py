"""What grading and the summary need of an attempt's record: small, so that no run holds its records in memory."""

from typing import Self

import attrs

from harness.store.record import AttemptRecord


@attrs.frozen(kw_only=True)
class Facts:
    """Of one attempt. ``kind`` names its outcome, ``failure_kind`` is Gym's word for it; times in nanoseconds."""

    task: str
    repeat: int
    kind: str
    masked: bool
    failure_kind: str | None
    answer: str | None
    flags: tuple[str, ...]
    started_ns: int
    played_ns: int
    waited_ns: int  # for the policy's endpoint

    @classmethod
    def of(cls, record: AttemptRecord) -> Self:
        """Of a record."""
        content, observed = record.content, record.observed
        return cls(
            task=content.task,
            repeat=content.repeat,
            kind=content.outcome.kind,
            masked=content.outcome.masked,
            failure_kind=content.outcome.failure_kind,
            answer=content.answer,
            flags=content.flags,
            started_ns=observed.started_ns,
            played_ns=max(0, observed.ended_ns - observed.started_ns),
            waited_ns=observed.waiting_ns,
        )
