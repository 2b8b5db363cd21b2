import pytest

from harness.gateway import Answer, ToolCall, Witness
from harness.gateway.witness import Agreement


def says(text: str, *ids: str) -> Answer:
    return Answer(text=text, tool_calls=tuple(ToolCall(call_id, "bash", "{}") for call_id in ids))


def agreement(witness: Witness, *answers: Answer) -> Agreement:
    found = Agreement()
    for answer in answers:
        found = found.then(answer, witness)
    return found


def test_all_is_shown() -> None:
    witness = Witness(("one", "two"), ("a", "b"))
    assert agreement(witness, says("one", "a"), says("", "b"), says("two")) == Agreement(2, 2)


def test_calls_are_shown_in_the_order_in_which_they_ended() -> None:
    assert agreement(Witness((), ("b", "a", "c")), says("", "a", "b"), says("", "c")) == Agreement(0, 3)


def test_half_characters_make_no_difference() -> None:
    assert agreement(Witness(("a\ufffd",), ()), says("a\ud83d")).texts == 1


@pytest.mark.parametrize(
    ("witness", "answer"),
    [
        (Witness(("other",), ()), says("one")),
        (Witness((), ("x",)), says("", "a")),
        (Witness((), ("a", "a")), says("", "a", "b")),
        (Witness(("one",), ("x",)), says("one", "a")),
    ],
)
def test_something_else_is_shown(witness: Witness, answer: Answer) -> None:
    assert agreement(witness, answer).differs


def test_once_it_differs_nothing_more_counts() -> None:
    found = agreement(Witness(("one", "other"), ("a",)), says("one"), says("two"), says("", "a"))
    assert found == Agreement(1, 0, differs=True)


def test_where_the_witness_ends_the_answers_go_beyond() -> None:
    found = agreement(Witness(("one",), ("a",)), says("one", "a", "b"), says("two", "c"))
    assert found == Agreement(1, 1, beyond=True)
