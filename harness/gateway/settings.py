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
    None is none.

    The limits hold for each sandbox: with one that does its worst the harness stays below 300 MB. ``max_body`` bounds
    a request, ``max_text`` what of it is no image, ``max_waiting`` all requests under way at one time (the agent itself
    sends one at a time), ``max_response`` an answer, ``max_record`` all requests and answers as they are recorded, and
    ``max_held`` what they take in memory. ``max_header`` bounds a line of a request's head, ``max_headers`` their
    number. ``max_connections`` are open at once, ``connection_rate`` are accepted in a second (``connection_burst``
    before that counts), each for one request; further ones wait. ``patience`` is how long the sandbox may take to send
    a request or to take a piece of its answer. ``share`` is the part of one processor that reading its requests may
    take.

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
    # A hundred pictures of 300 kB; OpenAI takes 50 MB in all, others less.
    max_body: int = 40 * MIB
    # A million tokens, more than a model's context holds, are about 4 MB of English, 5 of Chinese.
    max_text: int = 8 * MIB
    max_waiting: int = 40 * MIB
    # 100,000 tokens in a stream with log-probabilities and ids; without them it is a quarter of that.
    max_response: int = 32 * MIB
    # Half an hour of 300 tokens a second; compressed, a stream takes a twentieth.
    max_record: int = 256 * MIB
    max_held: int = 64 * MIB
    # OpenCode sends 10 lines, of at most 200 bytes.
    max_header: int = 4096
    max_headers: int = 64
    max_connections: int = 16
    connection_rate: float = 20.0
    connection_burst: int = 40
    max_in_flight: int = 4
    max_refusals: int = 100
    patience: float = 30.0
    share: float = 0.2

    def __attrs_post_init__(self) -> None:
        _check_alias(self.alias)
        if not re.fullmatch(DATE, self.date):
            raise UsageError(f"{self.date!r} is no pinned date. It looks like 'Thu Jan 01 2026'.")
        for name, value in attrs.asdict(self, recurse=False).items():
            if isinstance(value, int | float) and not value > 0:
                raise UsageError(f"The gateway's {name} must be above 0, not {value}.")
        if not self.share <= 1:
            raise UsageError(f"The gateway's share must be at most 1, not {self.share}.")


def _check_alias(alias: str) -> None:
    if not re.fullmatch(r"[A-Za-z0-9._:/-]{1,100}", alias):
        raise UsageError(f"{alias!r} can't be the model id inside the sandbox: letters, digits and ._:/- only.")
    if re.search("mistral|devstral", alias.lower()):
        # OpenCode 1.17.11 then rewrites call ids and puts turns of its own between the messages.
        raise UsageError(f"With {alias!r} as its model id OpenCode rewrites conversations; choose another id.")
