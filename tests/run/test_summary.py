"""Figures of a run: the denominator of each."""

import itertools
import random
from typing import Any

import pytest

from harness.run.egress import sums
from harness.run.egress.sums import Sent
from harness.run.statistics import wilson
from harness.run.summary import Result, exit_status, figures
from harness.store.canonical import dumps


def result(outcome: str, reward: float | None, task: str = "t", repeat: int = 0, **rest: Any) -> Result:
    return Result(task=task, repeat=repeat, outcome=outcome, reward=reward, **rest)


SOME = [
    result("answered", 1.0, "t1", attempts=1, played_ns=10**10, waited_ns=4 * 10**9, flags=("off-chain-calls",)),
    result("no-answer", 0.0, "t2", attempts=2, played_ns=10**10, waited_ns=10**9, flags=("off-chain-calls", "fork")),
    result("upstream-failed", None, "t3", attempts=3, played_ns=10**12, waited_ns=10**12),
    result("answered", 1.0, "t4", attempts=1),
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
    tasks = zip("abc", [1.0, 0.0, None], groups, strict=True)
    found: Any = figures([result("answered", reward, task, groups=of) for task, reward, of in tasks])
    assert list(found["groups"]["subtype"]) == ["Counting / Lines", "Tracking / Lines", "Tracking / Maze"]
    tracking, counting = found["groups"]["type"]["Tracking"], found["groups"]["type"]["Counting"]
    assert (tracking["planned"], tracking["measured"], tracking["reward"]) == (2, 2, 0.5)
    assert tracking["reward_interval"] == pytest.approx([0.0945, 0.9055], abs=1e-4)
    assert (counting["measured"], counting["masked"], counting["reward_interval"]) == (0, 1, None)


def repeated(task: str, *rewards: float | None, answers: str = "") -> list[Result]:
    return [
        result("answered", reward, task, repeat, groups={"type": task[0]}, extracted_answer=answer)
        for repeat, (reward, answer) in enumerate(itertools.zip_longest(rewards, answers))
    ]


def test_the_figures_and_their_bytes_do_not_depend_on_the_order_of_the_results() -> None:
    some = [*SOME, *repeated("a1", 0.1, 0.2, 0.3), *repeated("a2", 0.7, None, 1 / 3), *repeated("b1", 0.6, 0.4, 0.9)]
    expected = dumps(figures(some))
    for seed in range(20):
        assert dumps(figures(random.Random(seed).sample(some, len(some)))) == expected


def test_with_one_repeat_the_interval_is_wilsons_and_there_is_nothing_to_say_of_repeats() -> None:
    found: Any = figures(SOME)
    assert tuple(found["reward_interval"]) == wilson(2, 3)
    assert (found["effective_n"], found["repeats"]) == (3, None)
    assert found["standard_error"] == pytest.approx(1 / 3)  # s = sqrt(1/3), over sqrt(3)


def test_repeats_that_always_agree_are_worth_one() -> None:
    found: Any = figures([*repeated("a", 1.0, 1.0), *repeated("b", 0.0, 0.0), *repeated("c", 1.0, 1.0)])
    assert found["effective_n"] == pytest.approx(3)
    assert found["reward_interval"] == pytest.approx(wilson(2, 3))


def test_each_group_has_the_figures_of_its_own_repeats() -> None:
    found: Any = figures(
        [*repeated("a1", 1.0, 0.0, None), *repeated("a2", 1.0, 1.0, 1.0), *repeated("b", 0.0, 0.0, 0.0)]
    )
    assert (found["measured"], found["masked"], found["reward"]) == (8, 1, 0.5)
    in_a = found["groups"]["type"]["a"]
    assert (in_a["planned"], in_a["measured"], in_a["reward"]) == (6, 5, 0.8)
    assert (in_a["repeats"]["pass@1"], in_a["repeats"]["pass@2"], in_a["repeats"]["pass@3"]) == (0.75, 1.0, 1.0)
    assert in_a["repeats"]["left_out"] == {"1": 0, "2": 0, "3": 1}
    assert found["groups"]["type"]["b"]["repeats"]["rewards"] == [0.0, 0.0, 0.0]


def test_answers_that_differ_in_notation_alone_vote_as_one() -> None:
    found: Any = figures(
        [
            result("answered", 1.0, "a", 0, extracted_answer="(7)"),
            result("answered", 0.0, "a", 1, extracted_answer="8"),
            result("answered", 1.0, "a", 2, extracted_answer=" 7."),
        ]
    )
    assert found["repeats"]["majority@3"] == 1.0


def test_a_task_that_was_never_measured_is_left_out_of_each_k() -> None:
    found: Any = figures([*repeated("a", 1.0, 0.0), *repeated("b", None, None)])
    assert found["repeats"]["left_out"] == {"1": 1, "2": 1}
    assert (found["reward"], found["repeats"]["pass@2"]) == (0.5, 1.0)
    nothing: Any = figures(repeated("b", None, None))
    assert (nothing["reward"], nothing["effective_n"], nothing["standard_error"]) == (None, 0, None)
    assert (nothing["repeats"]["pass@1"], nothing["repeats"]["intervals"]["pass@1"]) == (None, None)
    assert dumps(nothing)


def test_all_measured_is_a_success_whatever_the_reward_even_after_ctrl_c() -> None:
    found = figures([result("no-answer", 0.0)])
    assert exit_status(found) == 0
    assert exit_status({**found, "interrupted": True}) == 0


def test_ctrl_c_before_all_was_measured_has_its_own_status() -> None:
    assert exit_status({**figures(SOME), "interrupted": True}) == 130
    assert exit_status({**figures(SOME), "interrupted": False}) == 3


def test_proofs_are_those_of_the_attempts_that_count() -> None:
    sent = Sent(proved=True, refused=2)
    found: Any = figures([result("answered", 1.0, sent=sent), result("no-answer", 0.0, "u", sent=Sent(proved=False))])
    assert found["egress"] == {"rollouts": 2, "proved": 1, "refused": 2, "destinations": 0, "truncated": 0}
    assert figures([result("unfinished", None)])["egress"] == sums.figures([])
