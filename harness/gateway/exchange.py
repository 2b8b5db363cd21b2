"""Calls while the endpoint works on them."""

import time

import attrs

from harness.gateway.packed import Packed
from harness.gateway.record import Try
from harness.store import clock


@attrs.define
class Exchange:
    """A call under way: the upstream client writes here, the talk reads at any moment.

    ``since`` and ``heard`` are `time.monotonic` seconds: of the start and of the last byte from the endpoint (the start
    if there was none). ``received`` and ``status`` belong to the current try; ``trouble`` is what was wrong with the
    try before, ``failing`` whether the endpoint then said that it failed.
    """

    since: float = 0.0
    heard: float = 0.0
    status: int = 0
    received: bytearray = attrs.field(factory=bytearray, repr=False)
    packed: Packed | None = attrs.field(default=None, repr=False)
    trouble: str | None = None
    failing: bool = False
    tries: list[Try] = attrs.field(factory=list)
    try_ns: int = 0

    def start(self) -> None:
        """The call's turn has come: from now on it waits for the endpoint."""
        self.since = self.heard = time.monotonic()

    def begin_try(self) -> None:
        """A new try begins with nothing."""
        self.status = 0
        self.received = bytearray()
        self.packed = None
        self.try_ns = clock.now_ns()

    def end_try(self, trouble: str | None) -> None:
        """The current try is over."""
        if self.try_ns:
            self.tries.append(Try(self.try_ns, clock.now_ns(), self.status, trouble))
        self.try_ns = 0
        self.trouble = trouble

    def pack(self) -> None:
        """All that will come is there: keeps it compressed."""
        self.packed = Packed.pack(bytes(self.received))

    def take(self) -> Packed:
        """What was received; from now on it isn't held here."""
        packed, self.packed = self.packed or Packed.plain(bytes(self.received)), None
        self.received = bytearray()
        return packed

    def give_up(self) -> None:
        """There will be no further try."""
        if self.tries:
            self.tries[-1] = attrs.evolve(self.tries[-1], given_up=True)

    def hear(self, data: bytes = b"") -> None:
        """Something came from the endpoint."""
        self.heard = time.monotonic()
        self.received += data


class Waiting:
    """The exchanges under way in one talk, and how long it has waited for the endpoint in all.

    Calls that the sandbox makes beside the conversation (not ``rooted``) wait too, but say nothing about how long the
    conversation does: the sandbox could choose to wait for those.
    """

    def __init__(self) -> None:
        self._rooted: dict[int, Exchange] = {}
        self._other: dict[int, Exchange] = {}
        self._total = 0.0
        self._busy_since = 0.0

    def start(self, index: int, exchange: Exchange, *, rooted: bool) -> None:
        """The call is on its way to the endpoint."""
        if not self._rooted and not self._other:
            self._busy_since = time.monotonic()
        (self._rooted if rooted else self._other)[index] = exchange

    def stop(self, index: int) -> None:
        """The call is over; one that never started is none."""
        was_busy = bool(self._rooted or self._other)
        self._rooted.pop(index, None)
        self._other.pop(index, None)
        if was_busy and not self._rooted and not self._other:
            self._total += time.monotonic() - self._busy_since

    @property
    def since(self) -> float | None:
        """Since when (`time.monotonic`) the conversation waits; None if it does not."""
        return min((exchange.since for exchange in self._rooted.values()), default=None)

    @property
    def silent_for(self) -> float:
        """For how many seconds the endpoint has sent nothing although the conversation waits for it; else 0."""
        heard = [exchange.heard for exchange in self._rooted.values()]
        return time.monotonic() - max(heard) if heard else 0.0

    @property
    def trouble(self) -> str | None:
        """What was wrong with the last try of a call of the conversation that is still under way; None if nothing."""
        return next((exchange.trouble for exchange in self._rooted.values() if exchange.trouble), None)

    @property
    def total(self) -> float:
        """Seconds in which at least one call, whichever, waited for the endpoint."""
        busy = bool(self._rooted or self._other)
        return self._total + (time.monotonic() - self._busy_since if busy else 0.0)
