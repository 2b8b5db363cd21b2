"""Counts, rate, what is left, and what a run that stands still waits for."""

import time
from typing import Any

import pytest

from harness.run.plan import Item
from harness.run.progress import WINDOW, WORTH_A_WORD, Tally, Waiting, for_the_policy

ITEMS = [Item(f"t{n}", 0) for n in range(100)]


class Talk:
    """What the gateway tells of a sandbox."""

    def __init__(self, *, waits: float | None, silent: float = 0.0, trouble: str | None = None) -> None:
        self.waiting_since = None if waits is None else time.monotonic() - waits
        self._silent = silent
        self._trouble = trouble

    def silent_for(self) -> float:
        return self._silent

    def troubled(self) -> str | None:
        return self._trouble


def playing(tally: Tally, item: Item, talk: Any, now: float) -> None:
    seen = tally.starts(item, now)
    seen.talk = talk
    seen.enter("playing", now)


def test_every_rollout_is_in_one_place() -> None:
    tally = Tally(6)
    for item in ITEMS[:4]:
        tally.starts(item, 0)
    tally.ends(ITEMS[0], 10, over=True)
    tally.to_be_judged(ITEMS[0], 10)
    tally.ends(ITEMS[1], 10, over=True)
    tally.to_be_judged(ITEMS[1], 10)
    tally.settled(ITEMS[1], measured=True)
    tally.ends(ITEMS[2], 10, over=True)
    tally.settled(ITEMS[2], measured=False)
    found = tally.snapshot(10)
    assert (found.measured, found.masked, found.judging, found.running, found.left) == (1, 1, 1, 1, 2)
    assert found.measured + found.masked + found.judging + found.running + found.left == found.planned == 6


def test_the_rate_is_over_the_last_rollouts_and_gives_what_is_left() -> None:
    tally = Tally(100)
    tally.playing_begins(0)
    assert (tally.snapshot(5).rate, tally.snapshot(5).eta) == (None, None)
    for number, item in enumerate(ITEMS[:WINDOW], start=1):
        tally.starts(item, 0)
        tally.ends(item, number * 30.0, over=True)
        tally.settled(item, measured=True)
    found = tally.snapshot(WINDOW * 30.0)
    assert found.rate == pytest.approx(2)
    assert found.eta == pytest.approx(80 / 2 * 60)
    for item in ITEMS[WINDOW : 2 * WINDOW]:
        tally.starts(item, 0)
        tally.ends(item, 700.0, over=True)
    assert (tally.snapshot(700.0).rate or 0) > 2


def test_the_rate_falls_while_nothing_is_finished() -> None:
    tally = Tally(10)
    tally.playing_begins(0)
    tally.starts(ITEMS[0], 0)
    tally.ends(ITEMS[0], 60, over=True)
    assert (tally.snapshot(60).rate, tally.snapshot(600).rate) == (pytest.approx(1), pytest.approx(0.1))


def test_an_attempt_that_is_made_again_is_no_finished_rollout() -> None:
    tally = Tally(2)
    tally.playing_begins(0)
    tally.starts(ITEMS[0], 0)
    tally.ends(ITEMS[0], 60, over=False)
    assert (tally.snapshot(60).rate, tally.snapshot(60).left) == (None, 2)


def test_a_silent_endpoint_is_named_with_its_last_trouble() -> None:
    now = time.monotonic()
    tally = Tally(4)
    playing(tally, ITEMS[0], Talk(waits=130, silent=130, trouble="overloaded: slow down"), now)
    playing(tally, ITEMS[1], Talk(waits=20, silent=1), now)
    playing(tally, ITEMS[2], Talk(waits=None), now)
    tally.starts(ITEMS[3], now)
    assert tally.snapshot(now).stalls == (
        "waiting for the policy endpoint for 130 s (2 of 4 sandboxes; last trouble: overloaded: slow down)",
    )


def test_a_model_that_talks_is_no_stall_however_long_it_takes() -> None:
    now = time.monotonic()
    tally = Tally(1)
    playing(tally, ITEMS[0], Talk(waits=1000, silent=1), now)
    assert tally.snapshot(now).stalls == ()


def test_trouble_is_told_at_once() -> None:
    now = time.monotonic()
    tally = Tally(1)
    playing(tally, ITEMS[0], Talk(waits=3, silent=3, trouble="unreachable: connection refused"), now)
    assert "connection refused" in tally.snapshot(now).stalls[0]


def test_slow_starts_the_judge_and_pauses_are_told() -> None:
    tally = Tally(5)
    tally.starts(ITEMS[0], 0)
    tally.to_be_judged(ITEMS[1], 0)
    assert tally.snapshot(WORTH_A_WORD - 1).stalls == ()
    assert tally.snapshot(WORTH_A_WORD + 10).stalls == (
        "waiting for 1 sandbox to start for 40 s",
        "waiting for the judge for 40 s (1 rollout)",
    )
    idle = Tally(1)
    assert idle.snapshot(0, pause=32).stalls == ("the policy endpoint failed: the next attempt starts in 32 s",)


def test_without_trouble_there_is_no_word_of_it() -> None:
    assert for_the_policy([Waiting(31, 31, None)], 1) == "waiting for the policy endpoint for 31 s (1 of 1 sandbox)"
