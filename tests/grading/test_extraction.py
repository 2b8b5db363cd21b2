r"""Extraction: the last box, whatever stands in it."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.grading.extraction import boxed

# Not part of the tree: real model outputs, with what the benchmark's own code extracted from them.
REAL = Path(__file__).parents[3] / "shared" / "data" / "babyvision" / "real_outputs.jsonl"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"so \boxed{(5,9)}", "(5,9)"),
        (r"\boxed{A}, no: \boxed{B}.", "B"),
        (r"\boxed{ \frac{1}{2} }", r"\frac{1}{2}"),
        (r"\boxed{\text{Row 4, {Column} 17}}", r"\text{Row 4, {Column} 17}"),
        (r"\boxed{\{1, 2\}}", r"\{1, 2\}"),
        (r"\boxed{\{1}", r"\{1"),
        (r"\boxed{a\\}", r"a\\"),
        (r"\boxed{\boxed{3}}", "3"),
        ("\\boxed{two\nlines}", "two\nlines"),
        (r"\boxed {3}", "3"),
        (r"$\boxed{3}$ {unclosed", "3"),
        (r"} stray \boxed{3}", "3"),
        (r"{ unclosed before \boxed{3}", "3"),
        ("printed twice escaped: \\\\boxed{3}", "3"),
        (r"<|begin_of_box|>(3, 4)<|end_of_box|>", "(3, 4)"),
        (r"<|begin_of_box|>A<|end_of_box|> or \boxed{B}", "B"),
        (r"\boxed{B} or <|begin_of_box|>A<|end_of_box|>", "A"),
        (r"<|begin_of_box|>\boxed{B}<|end_of_box|>", "B"),
        # Boxes that say nothing leave the one before.
        (r"\boxed{B}, which I put into \boxed{}", "B"),
        (r"\boxed{B}, and then \boxed{C", "B"),
        (r"\boxed{B}, <|begin_of_box|>C", "B"),
    ],
)
def test_the_last_box_is_found(text: str, expected: str) -> None:
    assert boxed(text) == expected


@pytest.mark.parametrize(
    "text", ["", "Final Answer: (6,2).", r"\boxed{}", r"\boxed{ }", r"\boxed{3", r"\boxed 3", "boxed{3}"]
)
def test_where_there_is_no_box_nothing_is_guessed(text: str) -> None:
    assert boxed(text) is None


@given(st.text(st.characters(exclude_characters="{}\\"), min_size=1).filter(str.strip), st.text())
def test_whatever_stands_before_the_last_box(answer: str, before: str) -> None:
    # A backslash just before would belong to the box's own.
    assert boxed(before + " " + r"\boxed{" + answer + "}") == answer.strip()


def test_a_text_made_to_be_slow_is_not() -> None:
    started = time.monotonic()
    assert boxed(r"\boxed{" * 100_000 + "<|begin_of_box|>" * 1000) is None
    assert time.monotonic() - started < 5


@pytest.mark.skipif(not REAL.is_file(), reason="the real outputs are not here")
def test_real_outputs_are_read_as_the_benchmark_read_them() -> None:
    rows = [json.loads(line) for line in REAL.read_text(encoding="utf-8").splitlines()]
    agree = sum(boxed(row["model_output"]) == row["extracted"] for row in rows)
    assert (agree, len(rows)) == (16, 16)
