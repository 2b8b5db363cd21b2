"""Foreign words on a terminal."""

import io

import pytest

from harness.report.words import WIDTH, duration, plain, width


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ünïcode 图", "plain ünïcode 图"),
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("two\nlines\r", "two\\x0alines\\x0d"),
        ("\u202eturned", "\\u202eturned"),
        ("\udcff\U000e0001", "\\udcff\\U000e0001"),
    ],
)
def test_what_a_terminal_would_obey_is_shown_as_an_escape(text: str, shown: str) -> None:
    assert plain(text) == shown
    assert plain(text).isprintable()


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.4, "0 s"), (89, "89 s"), (90, "2 min"), (5340, "89 min"), (5400, "1 h 30 min")]
)
def test_lengths_of_time(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def test_what_is_no_terminal_has_a_fixed_width() -> None:
    assert width(io.StringIO()) == WIDTH
