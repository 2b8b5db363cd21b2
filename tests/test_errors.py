"""Errors for people."""

from harness.errors import UnknownNameError


def test_an_unknown_name_is_told_with_what_there_is() -> None:
    assert str(UnknownNameError("task", "9", {"2", "1"}, "in this run")) == (
        "There is no task '9' in this run. Known: 1, 2."
    )
    assert str(UnknownNameError("command", "evil", ["eval"])) == "There is no command 'evil'. Did you mean 'eval'?"
    assert str(UnknownNameError("flag", "x", ())) == "There is no flag 'x'. Known: none."
