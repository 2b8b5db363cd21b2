"""What is read of a run: its figures and its rollouts, as frozen values."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

if TYPE_CHECKING:
    from harness.report.conversation import Picture, Turn
    from harness.report.show_rollout import Rollout as Attempt
    from harness.run.rows import Looked, Row

#: Both ends of a 95 % interval, or of bounds; fractions.
Interval: TypeAlias = tuple[float, float]


@attrs.frozen(kw_only=True)
class Summary:
    """The figures of a run; docs/results.md explains each. Rewards are fractions from 0 to 1.

    Args:
        reward: the mean over what was measured, and ``interval`` its 95 % interval; None where nothing was measured.
        bounds: the mean if all that was masked were 0, and if it were 1.
        coverage: ``measured`` / ``planned``, from 0 to 1.
        outcomes: how many rollouts ended how.
        figures: all of it, as ``--json`` has it: groups, repeats, egress, times.
    """

    benchmark: str
    policy_model: str
    judge_model: str | None
    planned: int
    measured: int
    masked: int
    coverage: float
    reward: float | None
    interval: Interval | None
    bounds: Interval
    outcomes: Mapping[str, int]
    manifest: str
    scorer: str | None
    content_digest: str
    figures: Mapping[str, Any] = attrs.field(repr=False)

    @classmethod
    def of(cls, figures: Mapping[str, Any]) -> "Summary":
        """Of the object that `harness.run.rows.Looked.about` gives."""
        interval = figures["reward_interval"]
        own = ("bounds", "figures", "interval")
        return cls(
            **{field.name: figures[field.name] for field in attrs.fields(cls) if field.name not in own},
            interval=None if interval is None else (interval[0], interval[1]),
            bounds=(figures["reward_low"], figures["reward_high"]),
            figures=figures,
        )


@attrs.frozen(kw_only=True)
class Rollout:
    """One planned rollout.

    Args:
        task: its id. ``repeat`` counts from 0.
        outcome: how it ended (docs/outcomes.md).
        reward: from 0 to 1; None where it is masked, or wasn't played or graded yet.
        answer: the extracted answer; None where there is none. The whole text is the last turn of `conversation`.
        question, gold: as they were put, and the right answer.
        verdict, reason: the judge's; None where none was asked.
        played_seconds, waited_seconds: all its time, and the part in which it waited for the policy's endpoint.
        content_digest: of what was asked and answered; None where it wasn't measured.
    """

    task: str
    repeat: int
    outcome: str
    reward: float | None
    answer: str | None
    question: str
    gold: str = attrs.field(repr=False)
    verdict: str | None
    reason: str | None
    groups: Mapping[str, str]
    flags: Sequence[str]
    attempts: int
    played_seconds: float
    waited_seconds: float
    content_digest: str | None
    _looked: "Looked" = attrs.field(repr=False, eq=False)

    @classmethod
    def of(cls, looked: "Looked", row: "Row") -> "Rollout":
        """Of a row of `harness.run.rows`."""
        from harness.run.summary import SECOND

        result, score = row.result, row.score
        gold = looked.benchmark.gold(result.task)
        return cls(
            task=result.task,
            repeat=result.repeat,
            outcome=result.outcome,
            reward=result.reward,
            answer=result.extracted_answer,
            question=gold.question,
            gold=gold.answer,
            verdict=score.verdict if score else None,
            reason=(score.reason or score.failure_reason) if score else None,
            groups=result.groups,
            flags=tuple(result.flags),
            attempts=result.attempts,
            played_seconds=result.played_ns / SECOND,
            waited_seconds=result.waited_ns / SECOND,
            content_digest=row.content,
            looked=looked,
        )

    def conversation(self) -> "tuple[Turn, ...]":
        """What was asked, thought, done and answered: `harness.report.conversation.Turn` by turn.

        Texts are as the model wrote them. Raises UsageError where it was never played to an end, StoreCorruptError.
        """
        return tuple(self._attempt().turns)

    def images(self) -> "tuple[Picture, ...]":
        """Its images, each once: ``sha256``, ``media_type``, and the bytes by ``data()``; raises as `conversation`."""
        found = self._attempt().pictures
        return tuple({picture.sha256: picture for picture in found}.values())

    def show(self, *, full: bool = False) -> str:
        """The conversation and its result as text for a terminal, as ``harness show RUN TASK``; raises as it does."""
        from harness.report import show_rollout, show_text

        found = show_rollout.to_json(self._looked, self._attempt(), all_calls=False)
        return "\n".join(show_text.render(found, full=full))

    def _attempt(self) -> "Attempt":
        """The attempt that counts, else the last one."""
        from harness.report import show_rollout

        return show_rollout.find(self._looked, self.task, self.repeat, None)
