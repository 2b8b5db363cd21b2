from syrupy.assertion import SnapshotAssertion

from harness.benchmarks.babyvision.asking import INSTRUCTION, prompt, question
from harness.benchmarks.babyvision.rows import Row

CHOICE = Row(
    task_id=1,
    type="Visual Tracking",
    subtype="Connect the lines",
    image=b"picture",
    question="Where does the line end?",
    ans_type="choice",
    options=("at A", "at B", "at C"),
    choice_ans=2,
)
BLANK = CHOICE.model_copy(update={"ans_type": "blank", "options": (), "choice_ans": None, "blank_ans": "(4,7)"})


def test_a_choice_is_asked_with_lettered_options() -> None:
    assert question(CHOICE) == "Where does the line end?\nChoices:\n(A) at A\n(B) at B\n(C) at C"


def test_a_blank_is_asked_as_it_stands() -> None:
    assert question(BLANK) == "Where does the line end?"


def test_the_whole_prompt(snapshot: SnapshotAssertion) -> None:
    assert prompt(CHOICE, INSTRUCTION) == snapshot


def test_without_an_instruction_only_the_question_is_put(snapshot: SnapshotAssertion) -> None:
    assert prompt(BLANK, "") == snapshot
