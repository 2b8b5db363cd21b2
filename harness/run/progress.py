"""How far a run is, and what it waits for: counts and arithmetic; harness.report draws them."""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Final, Literal, Protocol

import attrs

from harness.gateway import Talk
from harness.run.plan import Item

# A wait of fewer seconds is the usual course of things and not worth a word.
WORTH_A_WORD: Final = 30.0

# Over so many finished rollouts the rate is taken: enough to be steady, few enough to follow a change.
WINDOW: Final = 20

Phase = Literal["starting", "playing", "keeping"]


@attrs.define
class Running:
    """One attempt under way; ``since``: seconds of the run's clock at which its phase began."""

    since: float
    phase: Phase = "starting"
    talk: Talk | None = None

    def enter(self, phase: Phase, now: float) -> None:
        """The attempt is further on."""
        self.phase, self.since = phase, now


@attrs.frozen
class Waiting:
    """One sandbox that waits for the policy's endpoint: for how long, how long nothing has come, the last trouble."""

    seconds: float
    silent: float
    trouble: str | None


@attrs.frozen(kw_only=True)
class Snapshot:
    """A moment of a run, to be shown.

    ``planned`` = ``measured`` + ``masked`` + ``judging`` + ``running`` + ``left``. ``rate`` is in rollouts a minute,
    ``eta`` in seconds; both None while nothing is known. ``stalls``: what a run that doesn't move waits for.
    """

    planned: int
    measured: int
    masked: int
    judging: int
    running: int
    left: int
    rate: float | None
    eta: float | None
    stalls: Sequence[str]


class Show(Protocol):
    """Where a run says how it goes; texts may hold what a model or an endpoint wrote."""

    def line(self, text: str) -> None:
        """A line that stays."""

    def update(self, snapshot: Snapshot) -> None:
        """The present state; called about once a second."""


class Tally:
    """Counts what becomes of a run's rollouts; every ``now`` is in seconds of one clock that only goes forward."""

    def __init__(self, planned: int) -> None:
        self.planned = planned
        self.measured = 0
        self.masked = 0
        self.running: dict[Item, Running] = {}
        self._judging: dict[Item, float] = {}
        self._finished: deque[float] = deque(maxlen=WINDOW + 1)

    def playing_begins(self, now: float) -> None:
        """The rate counts from here."""
        self._finished.append(now)

    def starts(self, item: Item, now: float) -> Running:
        """An attempt starts; what is given back is to be kept up by it."""
        self.running[item] = Running(now)
        return self.running[item]

    def ends(self, item: Item, now: float, *, over: bool) -> None:
        """An attempt has ended; ``over``: the rollout is not played again, measured or not."""
        del self.running[item]
        if over:
            self._finished.append(now)

    def to_be_judged(self, item: Item, now: float) -> None:
        """A rollout has gone to be graded."""
        self._judging[item] = now

    def settled(self, item: Item, *, measured: bool) -> None:
        """It is known what a rollout came to."""
        self._judging.pop(item, None)
        if measured:
            self.measured += 1
        else:
            self.masked += 1

    def snapshot(self, now: float, pause: float = 0.0) -> Snapshot:
        """The present state; ``pause``: seconds for which nothing may be played."""
        left = self.planned - self.measured - self.masked - len(self._judging) - len(self.running)
        rate = self._rate(now)
        to_play = left + len(self.running)
        return Snapshot(
            planned=self.planned,
            measured=self.measured,
            masked=self.masked,
            judging=len(self._judging),
            running=len(self.running),
            left=left,
            rate=rate,
            eta=to_play / rate * 60 if rate and to_play else None,
            stalls=tuple(self._stalls(now, pause)),
        )

    def _rate(self, now: float) -> float | None:
        """Rollouts a minute since the first entry of the window; it falls while nothing is finished."""
        count = len(self._finished) - 1
        return count / (now - self._finished[0]) * 60 if count > 0 and now > self._finished[0] else None

    def _stalls(self, now: float, pause: float) -> Iterable[str]:
        waits = [wait for one in self.running.values() if (wait := _waiting(one, now)) is not None]
        if any(wait.silent >= WORTH_A_WORD or wait.trouble for wait in waits):
            yield for_the_policy(waits, len(self.running))
        starting = [now - one.since for one in self.running.values() if one.phase == "starting"]
        if starting and max(starting) >= WORTH_A_WORD:
            yield f"waiting for {several(len(starting), 'sandbox', 'es')} to start for {max(starting):.0f} s"
        judging = max((now - since for since in self._judging.values()), default=0.0)
        if judging >= WORTH_A_WORD:
            yield f"waiting for the judge for {judging:.0f} s ({several(len(self._judging), 'rollout', 's')})"
        if pause > 0 and not self.running:
            yield f"the policy endpoint failed: the next attempt starts in {pause:.0f} s"


def for_the_policy(waits: Sequence[Waiting], running: int) -> str:
    """What is said of sandboxes that wait for the policy's endpoint."""
    trouble = next((wait.trouble for wait in waits if wait.trouble), None)
    last = f"; last trouble: {trouble}" if trouble else ""
    seconds = max(wait.seconds for wait in waits)
    of = several(running, "sandbox", "es")
    return f"waiting for the policy endpoint for {seconds:.0f} s ({len(waits)} of {of}{last})"


def _waiting(one: Running, now: float) -> Waiting | None:
    talk = one.talk
    if one.phase != "playing" or talk is None or talk.waiting_since is None:
        return None
    return Waiting(now - talk.waiting_since, talk.silent_for(), talk.troubled())


def several(count: int, word: str, ending: str) -> str:
    """A number and its word, with the ``ending`` of the plural where there is more or less than one."""
    return f"{count} {word}" if count == 1 else f"{count} {word}{ending}"
