"""OpenCode 1.17.11 as an agent: its configuration, its command, its events, and what a run of it came to."""

from harness.agents.opencode.config import VERSION
from harness.agents.opencode.events import Events, parse
from harness.agents.opencode.families import system_prompt
from harness.agents.opencode.outcome import outcome
from harness.agents.opencode.outcomes import FINAL, Outcome, sandbox_failed
from harness.agents.opencode.stage import ERRORS, EVENTS, Settings, configuration, described, opening, stage

__all__ = [
    "ERRORS",
    "EVENTS",
    "FINAL",
    "VERSION",
    "Events",
    "Outcome",
    "Settings",
    "configuration",
    "described",
    "opening",
    "outcome",
    "parse",
    "sandbox_failed",
    "stage",
    "system_prompt",
]
