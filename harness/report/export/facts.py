"""What is said of a rollout beside its conversation: the columns of the table, and keys of the chats."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from harness.gateway.answer import Answer
from harness.grading.score import Score
from harness.report.export import vocabulary
from harness.report.export.source import Attempt, Rollout, Source
from harness.report.export.tokens import Tokens

_SECOND: Final = 1_000_000_000  # nanoseconds
_UNSCORED: Final = Score(reward=None)


def facts(source: Source, rollout: Rollout, answers: Sequence[Answer]) -> dict[str, Any]:
    """Names and values, in the order of docs/export.md; ``answers`` are those of the rollout's last attempt."""
    about = source.tasks.gold(rollout.item.task)
    return {
        "task": rollout.item.task,
        "task_index": rollout.place,
        "repeat": rollout.item.repeat,
        "outcome": rollout.outcome,
        "masked": rollout.reward is None,
        **_scored(rollout.score or _UNSCORED),
        **_failure(rollout),
        "question": about.question,
        "gold": about.answer,
        "groups": dict(source.tasks.groups(rollout.item.task)),
        "attempts": len(rollout.attempts),
        **_attempt(rollout.last),
        **_talk(rollout.last, answers),
    }


def _scored(score: Score) -> dict[str, Any]:
    return {
        "reward": score.reward,
        "verdict": score.verdict,
        "reason": score.reason,
        "extracted_answer": score.extracted_answer,
        "string_match": score.string_match,
        "judge_model": score.judge.model if score.judge else None,
        "judge_request": score.judge.request if score.judge else None,
        "judge_number": score.judge.number if score.judge else None,
    }


def _failure(rollout: Rollout) -> dict[str, Any]:
    """Of the judge, if it failed; else of the attempt."""
    score, last = rollout.score, rollout.last
    if score is not None and score.mask_sample:
        kind, reason = score.failure_kind, score.failure_reason
    elif last is not None:
        outcome = last.record.content.outcome
        kind, reason = outcome.failure_kind, why(last)
    else:
        kind = reason = None
    masked = last is not None and last.record.content.outcome.masked
    kind = vocabulary.kind(kind, masked=masked)
    return {"failure_kind": kind, "failure_reason": vocabulary.reason(reason) if kind else None}


def why(attempt: Attempt) -> str | None:
    """Why an attempt ended as it did, in a sentence."""
    return attempt.record.content.outcome.reason or attempt.record.observed.reason


def _attempt(attempt: Attempt | None) -> dict[str, Any]:
    if attempt is None:
        return dict.fromkeys(_ATTEMPT)
    content, observed = attempt.record.content, attempt.record.observed
    egress = observed.egress
    values = (
        attempt.name,
        content.digest,
        content.answer,
        content.finish_reason,
        list(content.flags),
        observed.started_ns // 1000,
        max(0, observed.ended_ns - observed.started_ns) / _SECOND,
        observed.waiting_ns / _SECOND,
        observed.how,
        observed.exit_code,
        observed.peak_rss,
        None if egress is None else egress.allowed,
        None if egress is None else egress.denied,
        None if egress is None else len(egress.destinations),
        observed.host,
    )
    return dict(zip(_ATTEMPT, values, strict=True))


_ATTEMPT: Final = (
    "attempt",
    "content_digest",
    "answer",
    "finish_reason",
    "flags",
    "started",
    "played_seconds",
    "waited_seconds",
    "ended",
    "exit_code",
    "peak_memory",
    "egress_allowed",
    "egress_denied",
    "egress_destinations",
    "host",
)


def _talk(attempt: Attempt | None, answers: Sequence[Answer]) -> dict[str, Any]:
    tokens = Tokens.of(answers)
    called = Counter(call.name for answer in answers for call in answer.tool_calls)
    return {
        "calls": 0 if attempt is None else len(attempt.record.content.calls),
        "chain_calls": len(answers),
        "tool_calls": dict(sorted(called.items())),
        "input_tokens": tokens.input,
        "output_tokens": tokens.output,
        "reasoning_tokens": tokens.reasoning,
        "cached_tokens": tokens.cached,
    }
