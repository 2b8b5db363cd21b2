"""NeMo Gym's names for what went wrong, and which of them a row bears."""

from typing import Final

# All that Gym knows; others are refused by its readers or counted as unknown.
FAILURE_KINDS: Final = frozenset(
    {
        "transport_unreachable",
        "transport_peer_drop",
        "transport_timeout",
        "transport_local_resource",
        "agent_run_error",
        "agent_request_failed",
        "agent_timeout",
        "agent_command_not_allowed",
        "judge_failed",
        "judge_unparseable",
        "verifier_error",
        "provider_unavailable",
        "provider_quota_exhausted",
        "provider_oom_killed",
        "session_lost",
        "session_expired",
        "session_release_failed",
        "cancelled",
        "kill_shaped",
        "shutdown",
        "persistence_failed",
        "cohort_incomplete",
    }
)

REASON_MAX: Final = 2000  # characters of a failure's reason


def kind(recorded: str | None, *, masked: bool) -> str | None:
    """Gym's name for a recorded failure; what is masked has one in any case."""
    if recorded in FAILURE_KINDS:
        return recorded
    return "agent_run_error" if masked or recorded is not None else None


def reason(said: str | None) -> str | None:
    """A failure's reason, as long as Gym allows."""
    return said[:REASON_MAX] if said else None
