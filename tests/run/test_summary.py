"""Figures of a run: the denominator of each."""

from harness.run.summary import Result, exit_status, figures


def test_the_mean_is_over_what_was_measured_and_the_bounds_over_what_was_planned() -> None:
    results = [
        Result("a", 0, "answered", 1.0),
        Result("b", 0, "no-answer", 0.0),
        Result("c", 0, "upstream-failed", None),
        Result("d", 0, "answered", 1.0),
    ]
    assert figures(results) == {
        "planned": 4,
        "measured": 3,
        "masked": 1,
        "coverage": 0.75,
        "reward": 2 / 3,
        "reward_low": 0.5,
        "reward_high": 0.75,
        "outcomes": {"answered": 2, "no-answer": 1, "upstream-failed": 1},
    }
    assert exit_status(figures(results)) == 3


def test_nothing_measured_has_no_mean_and_the_widest_bounds() -> None:
    results = [Result("a", 0, "upstream-failed", None)]
    found = figures(results)
    assert (found["reward"], found["reward_low"], found["reward_high"], found["coverage"]) == (None, 0.0, 1.0, 0.0)


def test_all_measured_is_a_success_whatever_the_reward() -> None:
    assert exit_status(figures([Result("a", 0, "no-answer", 0.0)])) == 0
