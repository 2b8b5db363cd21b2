"""What an attempt can come to: each kind, whether it is a measurement, and NeMo Gym's name for it."""

from collections.abc import Mapping
from typing import Final, Literal, get_args

import attrs

Measured = Literal[
    "answered",
    "no-answer",
    "task-timeout",
    "output-cap",
    "context-overflow",
    "request-too-large",
    "request-refused",
    "budget",
    "agent-died",
    "out-of-memory",
    "workdir-full",
]
# Says nothing about the model: the attempt is no measurement, and is made again.
Masked = Literal[
    "sandbox-failed",
    "agent-not-started",
    "first-output-timeout",
    "no-model-call",
    "image-withheld",
    "upstream-failed",
    "upstream-refused",
    "upstream-stalled",
    "not-recorded",
]
Kind = Measured | Masked

MASKED: Final[frozenset[str]] = frozenset(get_args(Masked))

# NeMo Gym's `failure_kind`; a kind that isn't here is no failure there: the model just has no right answer.
_GYM: Final[Mapping[Kind, str]] = {
    "task-timeout": "agent_timeout",
    "context-overflow": "agent_request_failed",
    "request-too-large": "agent_request_failed",
    "request-refused": "agent_request_failed",
    "budget": "agent_request_failed",
    "agent-died": "agent_run_error",
    "out-of-memory": "provider_oom_killed",
    "workdir-full": "agent_run_error",
    "sandbox-failed": "provider_unavailable",
    "agent-not-started": "agent_run_error",
    "first-output-timeout": "agent_timeout",
    "no-model-call": "agent_run_error",
    "image-withheld": "agent_run_error",
    "upstream-failed": "agent_request_failed",
    "upstream-refused": "agent_request_failed",
    "upstream-stalled": "transport_timeout",
    "not-recorded": "agent_request_failed",
}

# Masked, and would be so again: it is the same record that is asked.
FINAL: Final[frozenset[str]] = frozenset({"not-recorded"})


@attrs.frozen
class Outcome:
    """How an attempt ended.

    ``masked``: it is no measurement, so there is no reward and it may be made again. ``failure_kind`` is Gym's word,
    None where nothing failed. ``reason`` says in a sentence what was seen; empty for an answer.
    """

    kind: Kind
    masked: bool
    failure_kind: str | None
    reason: str


def of(kind: Kind, reason: str = "", *, gym: str | None = None) -> Outcome:
    """The outcome of a kind; ``gym`` where one of Gym's words fits better than the usual one."""
    return Outcome(kind, kind in MASKED, gym or _GYM.get(kind), reason)


def sandbox_failed(reason: str) -> Outcome:
    """The outcome of an attempt whose sandbox could not be made, started or read."""
    return of("sandbox-failed", reason)
