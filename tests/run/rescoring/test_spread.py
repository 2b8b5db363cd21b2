"""How much of the spread is the judge's: cases worked by hand."""

import pytest

from harness.run.plan import Item
from harness.run.rescoring.scoring import Mark, Row
from harness.run.rescoring.spread import spread
from harness.run.summary import Result

SIGNS = {"+": Mark(1.0, "equivalent"), "-": Mark(0.0, "different"), "?": Mark(0.0, "unsure")}
SIGNS |= {".": Mark(0.0, None), "x": Mark(None, None)}


def judgings(*signs: str) -> list[list[Row]]:
    """A text for each judging, a sign for each task."""
    return [[_row(str(task), SIGNS.get(sign)) for task, sign in enumerate(said)] for said in signs]


def _row(task: str, mark: Mark | None) -> Row:
    return Row(item=Item(task, 0), result=Result(task=task, repeat=0, outcome="answered", reward=None), mark=mark)


def test_a_judge_that_never_wavers_adds_nothing() -> None:
    found = spread(judgings("++--.", "++--.", "++--."))
    assert (found["judged"], found["measured"], found["agreement"], found["flips"]) == (4, 5, 1.0, 0)
    assert found["means"] == [0.4, 0.4, 0.4]
    assert found["standard_deviation"] == 0
    # rewards 1 1 0 0 0: s^2 = (2 * 0.36 + 3 * 0.16) / 4 = 0.3, s / sqrt(5)
    assert found["standard_error"] == pytest.approx((0.3 / 5) ** 0.5)


def test_pairs_of_judgings_that_differ_are_counted() -> None:
    # of 4 answers one flips in one of three judgings: of its three pairs one agrees
    found = spread(judgings("++--", "++--", "+---"))
    assert (found["judged"], found["flips"]) == (4, 1)
    assert found["agreement"] == pytest.approx((3 + 1 + 3 + 3) / 12)
    assert found["means"] == [0.5, 0.5, 0.25]
    # the mean of the means is 5/12: (1/12)^2 + (1/12)^2 + (2/12)^2 = 6/144, over 2
    assert found["standard_deviation"] == pytest.approx((6 / 144 / 2) ** 0.5)


def test_another_verdict_of_the_same_worth_is_a_flip() -> None:
    found = spread(judgings("-", "?"))
    assert (found["flips"], found["agreement"], found["standard_deviation"]) == (1, 0.0, 0.0)


def test_only_what_is_measured_in_each_judging_counts() -> None:
    found = spread(judgings("+x-!", "+-x!"))
    assert (found["judged"], found["measured"], found["means"]) == (1, 1, [1.0, 1.0])


def test_nothing_measured_has_no_figures() -> None:
    found = spread(judgings("x", "x"))
    assert (found["means"], found["agreement"], found["standard_deviation"]) == ([], None, None)
    assert found["standard_error"] is None
