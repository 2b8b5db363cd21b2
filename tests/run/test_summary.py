"""Figures of a run: the denominator of each."""

from typing import Any

import pytest

from harness.run.summary import Result, exit_status, figures
from harness.store.canonical import dumps


def result(outcome: str, reward: float | None, **rest: Any) -> Result:
    return Result(task="t", repeat=0, outcome=outcome, reward=reward, **rest)


SOME = [
    result("answered", 1.0, attempts=1, played_ns=10**10, waited_ns=4 * 10**9, flags=("off-chain-calls",)),
    result("no-answer", 0.0, attempts=2, played_ns=10**10, waited_ns=10**9, flags=("off-chain-calls", "fork")),
    result("upstream-failed", None, attempts=3, played_ns=10**12, waited_ns=10**12),
    result("answered", 1.0, attempts=1),
]


def test_the_mean_is_over_what_was_measured_and_the_bounds_over_what_was_planned() -> None:
    found = figures(SOME)
    assert {name: found[name] for name in ("planned", "measured", "masked", "coverage")} == {
        "planned": 4,
        "measured": 3,
        "masked": 1,
        "coverage": 0.75,
    }
    assert (found["reward"], found["reward_low"], found["reward_high"]) == (2 / 3, 0.5, 0.75)
    assert found["outcomes"] == {"answered": 2, "no-answer": 1, "upstream-failed": 1}
    assert found["masked_outcomes"] == {"upstream-failed": 1}
    assert exit_status(found) == 3


def test_every_attempt_counts_and_times_are_those_of_what_was_measured() -> None:
    found = figures(SOME)
    assert found["attempts"] == 7
    assert (found["played_seconds"], found["waited_seconds"]) == (20.0, 5.0)
    assert found["flags"] == {"fork": 1, "off-chain-calls": 2}


def test_nothing_measured_has_no_mean_no_interval_and_the_widest_bounds() -> None:
    found = figures([result("upstream-failed", None)])
    assert (found["reward"], found["reward_interval"]) == (None, None)
    assert (found["reward_low"], found["reward_high"], found["coverage"]) == (0.0, 1.0, 0.0)


def test_groups_are_named_with_the_wider_ones_and_have_their_own_means() -> None:
    groups = [
        {"type": "Tracking", "subtype": "Lines"},
        {"type": "Tracking", "subtype": "Maze"},
        {"type": "Counting", "subtype": "Lines"},
    ]
    rewards = [1.0, 0.0, None]
    found: Any = figures([result("answered", reward, groups=of) for reward, of in zip(rewards, groups, strict=True)])
    assert list(found["groups"]["subtype"]) == ["Counting / Lines", "Tracking / Lines", "Tracking / Maze"]
    tracking, counting = found["groups"]["type"]["Tracking"], found["groups"]["type"]["Counting"]
    assert (tracking["planned"], tracking["measured"], tracking["reward"]) == (2, 2, 0.5)
    assert tracking["reward_interval"] == pytest.approx([0.0945, 0.9055], abs=1e-4)
    assert (counting["measured"], counting["masked"], counting["reward_interval"]) == (0, 1, None)


def test_it_can_be_written_as_canonical_json() -> None:
    assert dumps(figures(SOME)) == dumps(figures(list(SOME)))


def test_all_measured_is_a_success_whatever_the_reward_even_after_ctrl_c() -> None:
    found = figures([result("no-answer", 0.0)])
    assert exit_status(found) == 0
    assert exit_status({**found, "interrupted": True}) == 0


def test_ctrl_c_before_all_was_measured_has_its_own_status() -> None:
    assert exit_status({**figures(SOME), "interrupted": True}) == 130
    assert exit_status({**figures(SOME), "interrupted": False}) == 3
