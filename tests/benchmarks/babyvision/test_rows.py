from typing import Any

import pytest
from pydantic import ValidationError

from harness.benchmarks.babyvision.rows import Row

BLANK: dict[str, Any] = {
    "taskId": 7,
    "type": "Visual Tracking",
    "subtype": "Maze",
    "image": b"\x89PNG\r\n\x1a\n",
    "question": "How many?",
    "ansType": "blank",
    "options": [],
    "choiceAns": None,
    "blankAns": "10,5",
    "coT": "Because.",
}
CHOICE: dict[str, Any] = {**BLANK, "ansType": "choice", "options": ["left", "right"], "choiceAns": 1, "blankAns": None}


def test_the_gold_of_a_blank_is_its_text() -> None:
    assert Row.model_validate(BLANK).gold == "10,5"


def test_the_gold_of_a_choice_is_a_letter() -> None:
    assert Row.model_validate(CHOICE).gold == "B"


def test_a_choice_may_hold_a_blank_answer_too() -> None:
    assert Row.model_validate({**CHOICE, "blankAns": "right"}).gold == "B"


@pytest.mark.parametrize("field", ["taskId", "type", "subtype", "image", "question", "ansType"])
def test_a_missing_field_is_named(field: str) -> None:
    with pytest.raises(ValidationError, match=field):
        Row.model_validate({name: value for name, value in BLANK.items() if name != field})


@pytest.mark.parametrize(
    ("row", "change"),
    [
        (BLANK, {"taskId": "7"}),
        (BLANK, {"image": b""}),
        (BLANK, {"question": ""}),
        (BLANK, {"question": "lone \ud800 surrogate"}),
        (BLANK, {"ansType": "essay"}),
        (BLANK, {"blankAns": None}),
        (BLANK, {"blankAns": ""}),
        (CHOICE, {"choiceAns": None}),
        (CHOICE, {"choiceAns": 2}),
        (CHOICE, {"choiceAns": -1}),
        (CHOICE, {"choiceAns": True}),
        (CHOICE, {"options": ["o"] * 27}),
    ],
)
def test_a_wrong_value_is_refused(row: dict[str, Any], change: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Row.model_validate({**row, **change})


def test_answers_and_pictures_stay_out_of_the_printed_form() -> None:
    assert "Because" not in repr(Row.model_validate(BLANK))
    assert "PNG" not in repr(Row.model_validate(BLANK))
