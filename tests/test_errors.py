"""Errors for people."""

from harness.errors import LISTED, SHOWN, UnknownNameError, nearest


def test_an_unknown_name_is_told_with_what_there_is() -> None:
    assert str(UnknownNameError("task", "9", {"2", "1"}, "in this run")) == (
        "There is no task '9' in this run. Known: 1, 2."
    )
    assert str(UnknownNameError("command", "evil", ["eval"])) == "There is no command 'evil'. Did you mean 'eval'?"
    assert str(UnknownNameError("flag", "x", ())) == "There is no flag 'x'. Known: none."


def test_a_number_is_answered_with_the_numbers_in_their_order_and_not_with_a_near_one() -> None:
    known = [str(number) for number in range(1, 13)]
    said = str(UnknownNameError("task", "13", known, "in this run"))
    assert said == f"There is no task '13' in this run. Known: {', '.join(known)}."


def test_of_many_names_some_are_listed_and_the_others_counted() -> None:
    said = str(UnknownNameError("task", "389", map(str, range(1, 389))))
    assert said.endswith("Known: " + ", ".join(map(str, range(1, 21))) + " and 368 more.")


def test_a_name_of_any_length_among_any_number_is_answered_at_once() -> None:
    many = [f"{'of-the-same-beginning-' * 3}{number:06}" for number in range(20_000)]
    assert nearest(f"{many[0]}x", many) == ""
    said = str(UnknownNameError("task", "x" * 100_000, many))
    assert said.startswith(f"There is no task '{'x' * SHOWN}'.... Known: ")
    assert said.count(", ") == LISTED - 1
