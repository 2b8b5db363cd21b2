r"""Extraction: the last box, whatever stands in it."""

import json
import time
import tracemalloc
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.grading.extraction import boxed
from harness.grading.string_match import string_match

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
        ("<|begin_of_box|>A <|begin_of_box|>B<|end_of_box|>", "B"),
        ("\\boxed{\ud800}", "\ud800"),
        # The anchor's rule is the last box of the text, and thinking that was not taken out is text.
        (r"<think>\boxed{1}</think> It is 2.", "1"),
        (r"<think>\boxed{1}</think> It is \boxed{2}.", "2"),
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


# Content of a box whose braces match, with braces that are characters in between.
PLAIN = st.text(st.characters(exclude_characters="{}\\<"), min_size=1).filter(str.strip)
BALANCED = st.recursive(
    PLAIN | st.sampled_from([r"\{", r"\}", r"\\", r"\frac"]),
    lambda inner: st.lists(inner, min_size=1, max_size=4).map("".join) | inner.map("{{{}}}".format),
    max_leaves=8,
)


@given(st.lists(BALANCED, min_size=1, max_size=4), st.text(st.characters(exclude_characters="{}\\<")))
def test_of_several_boxes_the_last_counts(contents: list[str], between: str) -> None:
    text = (between + " ").join(f"\\boxed{{{content}}}" for content in contents)
    assert boxed(text) == contents[-1].strip()


@given(BALANCED, st.sampled_from([r"\boxed{}", r"\boxed{ }", r"\boxed{3", "<|begin_of_box|>3", "<|end_of_box|>", "}"]))
def test_what_is_no_box_leaves_the_one_before(content: str, after: str) -> None:
    assert boxed(f"\\boxed{{{content}}} {after}") == content.strip()


@given(
    st.lists(st.sampled_from(["\\boxed{", "{", "}", "\\", " ", "a", "<|begin_of_box|>", "<|end_of_box|>", "\ud800"]))
)
def test_whatever_is_extracted_stood_in_the_text(pieces: list[str]) -> None:
    text = "".join(pieces)
    found = boxed(text)
    assert found is None or (found == found.strip() != "" and found in text)


@pytest.mark.parametrize(
    ("start", "piece", "megabytes"),
    [
        ("", r"\boxed{", 20),
        ("", "\\", 4),
        (r"\boxed{", "{", 4),
        (r"\boxed{", "\\{", 4),
        ("", r"\boxed {", 4),
        ("", r"\boxed ", 4),
        ("", r"\boxed{ }", 4),
        ("", "<|begin_of_box|>", 4),
        ("", "<|begin_of_box|><|end_of_box|>", 4),
    ],
)
def test_a_text_made_to_be_slow_is_not(start: str, piece: str, megabytes: int) -> None:
    began = time.process_time()
    assert boxed(start + piece * (megabytes * 1_000_000 // len(piece))) is None
    assert time.process_time() - began < 30


def test_boxes_nested_deeply_are_not_copied() -> None:
    number = 200_000
    tracemalloc.start()
    assert boxed("\\boxed{" * number + "3" + "}" * number) == "3"
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 40_000_000


@pytest.mark.skipif(not REAL.is_file(), reason="the real outputs are not here")
def test_real_outputs_are_read_as_the_benchmark_read_them() -> None:
    rows = [json.loads(line) for line in REAL.read_text(encoding="utf-8").splitlines()]
    agree = sum(boxed(row["model_output"]) == row["extracted"] for row in rows)
    assert (agree, len(rows)) == (16, 16)


@pytest.mark.skipif(not REAL.is_file(), reason="the real outputs are not here")
def test_string_match_beside_the_recorded_verdicts() -> None:
    """Printed with -s; of these 16 the two say the same of each."""
    rows = [json.loads(line) for line in REAL.read_text(encoding="utf-8").splitlines()]
    table: Counter[tuple[bool | None, bool]] = Counter()
    for row in rows:
        extracted = boxed(row["model_output"])
        found = string_match(extracted, row["gold"])
        table[found, row["judged_correct"]] += 1
        print(f"\n{row['task_id']:>5}  gold {row['gold']:<16} extracted {extracted!s:<16}", end="")
        print(f" match {found!s:<6} judged {row['judged_correct']}", end="")
    assert table == {(True, True): 14, (False, False): 1, (None, False): 1}
