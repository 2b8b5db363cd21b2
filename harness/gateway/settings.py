"""What the gateway of one sandbox allows and how long it waits."""

import re
from typing import Final

import attrs

from harness.errors import UsageError

_DAYS: Final = "Mon|Tue|Wed|Thu|Fri|Sat|Sun"
_MONTHS: Final = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"

# A date as JavaScript's toDateString() writes it, which is what OpenCode puts into its system prompt.
DATE: Final = rf"(?:{_DAYS}) (?:{_MONTHS}) [0-3][0-9] [0-9]{{4}}"

MIB: Final = 1024 * 1024


@attrs.frozen
class Backoff:
    """Seconds between two tries of one call: ``first``, then ``factor`` times as long each time, at most ``most``."""

    first: float = 2.0
    factor: float = 2.0
    most: float = 60.0

    def delay(self, tries: int, asked: float | None = None) -> float:
        """Seconds to wait after so many failed ``tries``; ``asked`` is what the endpoint wants (Retry-After)."""
        # Beyond 64 doublings the sum is at its limit anyhow, and a float would overflow.
        grown = self.first * self.factor ** min(tries - 1, 64)
        return min(self.most, max(grown, asked or 0.0))


@attrs.frozen
class GatewaySettings:
    """Settings of one gateway.

    Times are seconds, sizes bytes. ``alias`` is the model's name inside the sandbox; ``date`` stands in every system
    prompt; ``attempts`` bounds the tries of one call; ``stall`` is how long the endpoint may send nothing before a try
    is given up; ``heartbeat`` is the silence after which the agent gets a sign of life, so that no time-out of its own
    ends the call; ``max_calls`` and ``max_tokens`` (written by the model) are budgets over all calls of the sandbox,
    None is none; ``max_record`` bounds what all its calls may take in memory and in the record, ``max_waiting`` what
    the requests under way at one time may (the agent itself sends one at a time).

    Raises:
        UsageError: one of them can't be right.
    """

    alias: str = "vlm"
    date: str = "Thu Jan 01 2026"
    attempts: int = 5
    backoff: Backoff = Backoff()
    stall: float = 600.0
    connect: float = 30.0
    heartbeat: float = 20.0
    max_calls: int | None = None
    max_tokens: int | None = None
    # OpenCode passes images on up to 50 MB of base64 each; a benchmark's own are far smaller.
    max_body: int = 128 * MIB
    max_response: int = 64 * MIB
    max_record: int = 1024 * MIB
    max_waiting: int = 192 * MIB
    max_header: int = 16 * 1024
    max_connections: int = 32
    max_in_flight: int = 4
    max_refusals: int = 100
    read_timeout: float = 30.0

    def __attrs_post_init__(self) -> None:
        _check_alias(self.alias)
        if not re.fullmatch(DATE, self.date):
            raise UsageError(f"{self.date!r} is no pinned date. It looks like 'Thu Jan 01 2026'.")
        for name, value in attrs.asdict(self, recurse=False).items():
            if isinstance(value, int | float) and not value > 0:
                raise UsageError(f"The gateway's {name} must be above 0, not {value}.")


def _check_alias(alias: str) -> None:
    if not re.fullmatch(r"[A-Za-z0-9._:/-]{1,100}", alias):
        raise UsageError(f"{alias!r} can't be the model id inside the sandbox: letters, digits and ._:/- only.")
    if re.search("mistral|devstral", alias.lower()):
        # OpenCode 1.17.11 then rewrites call ids and puts turns of its own between the messages.
        raise UsageError(f"With {alias!r} as its model id OpenCode rewrites conversations; choose another id.")
