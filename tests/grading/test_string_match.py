"""String match: notation is forgiven, nothing else."""

import pytest

from harness.grading.string_match import string_match


@pytest.mark.parametrize(
    ("extracted", "gold"),
    [
        ("(10,5)", "10,5"),
        ("(10, 9)", "(10,9)"),
        ("Row 4 Column 17", "row 4  column 17"),
        ("B", "b"),
        ("(B)", "B"),
        ("B.", "B"),
        (r"\text{B}", "B"),
        ("$12$", "12"),
        ("[1, 2]", "1,2"),
        ("\uff11\uff12", "12"),
        ("(1,2),(3,4)", "(1, 2), (3, 4)"),
        ("()", "()"),
    ],
)
def test_the_same_but_for_notation(extracted: str, gold: str) -> None:
    assert string_match(extracted, gold) is True


@pytest.mark.parametrize(
    ("extracted", "gold"),
    [
        ("(5,10)", "10,5"),
        ("10", "10.0"),
        ("B", "(B) cat"),
        ("(1,2),(3,4)", "1,2),(3,4"),
        ("12", "1 , 2"),
        ("", "B"),
        ("-3", "3"),
        ("$1$2$", "1$2"),
    ],
)
def test_anything_else_is_different(extracted: str, gold: str) -> None:
    assert string_match(extracted, gold) is False


def test_nothing_extracted_is_no_comparison() -> None:
    assert string_match(None, "B") is None
