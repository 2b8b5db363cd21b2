"""OpenCode 1.17.11 as an agent: its configuration, its command, its events, and what a run of it came to."""

from harness.agents.opencode.config import VERSION
from harness.agents.opencode.events import parse, witness
from harness.agents.opencode.outcome import outcome
from harness.agents.opencode.outcomes import Outcome, sandbox_failed
from harness.agents.opencode.stage import ERRORS, EVENTS, Settings, configuration, described, opening, stage

__all__ = [
    "ERRORS",
    "EVENTS",
    "VERSION",
    "Outcome",
    "Settings",
    "configuration",
    "described",
    "opening",
    "outcome",
    "parse",
    "sandbox_failed",
    "sessions",
    "stage",
    "witness",
]


def sessions(events: bytes) -> tuple[str, ...]:
    """The ids of OpenCode's sessions, as its events name them."""
    return parse(events).sessions
