"""A benchmark's own rule: what it returns is checked, what it raises is told by its line."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.errors import UsageError
from harness.grading.checked import reward, score
from harness.grading.item import Item
from harness.grading.own import Own

NAME = "rule.py"


def own(body: str, path: Path = Path(NAME)) -> Own:
    """A file of one's own with this rule."""
    source = f"def grade(text, gold):\n    {body}\n"
    module: dict[str, Any] = {}
    exec(compile(source, str(path), "exec"), module)
    return Own(path, source.encode(), module["grade"])


def item(answer: str | None, ended: str = "answered") -> Item:
    return Item(task="a", repeat=0, question="?", gold="7", answer=answer, ended=ended)


def test_the_rule_gets_the_whole_text_and_the_right_answer() -> None:
    found = score(own("return 0.25 if (text, gold) == ('so \\\\boxed{8}', '7') else 1"), item("so \\boxed{8}"))
    assert (found.reward, found.extracted_answer, found.string_match) == (0.25, "8", False)
    assert (found.mask_sample, found.verdict, found.judge) == (False, None, None)


@pytest.mark.parametrize("answer", [None, "", " \n"])
def test_without_an_answer_it_is_not_asked(answer: str | None) -> None:
    found = score(own("raise AssertionError"), item(answer, "timeout"))
    assert (found.reward, found.reason) == (0.0, "There is no final answer: timeout.")


@pytest.mark.parametrize(("value", "found"), [(0, 0.0), (1, 1.0), (0.5, 0.5), (np.float64(0.25), 0.25), (-0.0, 0.0)])
def test_numbers_from_0_to_1_are_rewards(value: object, found: float) -> None:
    assert str(reward(value, "here")) == str(found)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (True, r"returned True \(bool\)"),
        (np.True_, r"\(bool"),
        ("1", r"returned '1' \(str\)"),
        (None, r"returned None \(NoneType\)"),
        ([1.0], r"returned \[1.0\] \(list\)"),
        (Decimal("0.5"), r"\(Decimal\)"),
        (1j, r"\(complex\)"),
        (float("nan"), "returned nan"),
        (float("inf"), "returned inf"),
        (-0.1, "returned -0.1"),
        (1.0000001, "returned 1.0000001"),
        (2, "returned 2"),
        (10**400, r"returned 10{79}\.\.\."),
        ("x" * 1000, r"x{79}\.\.\."),
    ],
)
def test_anything_else_is_none(value: object, said: str) -> None:
    with pytest.raises(UsageError, match=rf"^here: the rule .*{said}.*A reward is a number from 0 to 1"):
        reward(value, "here")


def test_a_value_that_raises_where_it_is_looked_at_is_told_too() -> None:
    body = """class Odd(float):
        def __le__(self, other): raise ValueError("no")
        def __ge__(self, other): raise ValueError("no")
    return Odd(0.5)"""
    with pytest.raises(UsageError, match=r"^rule.py, line \d, grading task 'a': ValueError: no"):
        score(own(body), item("seven"))


def test_what_it_raises_is_told_by_file_line_and_task() -> None:
    with pytest.raises(
        UsageError, match=r"^rule.py, line 2, grading task 'a': ValueError: invalid literal for int.*\. Mend the file"
    ):
        score(own("return int(text)"), item("seven"))
