"""Foreign words on a terminal."""

import io

import pytest

from harness.report.words import WIDTH, block, counted, duration, plain, width


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


def test_lines_stay_and_tabs_but_nothing_else_that_moves_the_cursor() -> None:
    assert list(block("a\tb\r\n\x1b[2J\n\nc")) == ["a\tb\\x0d", "\\x1b[2J", "", "c"]


def test_a_long_text_loses_its_middle() -> None:
    text = "b" * 100 + "m" * 5000 + "e" * 100
    first, left, last = block(text, 400)
    assert (first, last) == ("b" * 100 + "m" * 200, "e" * 100)
    assert left == "... 4,800 characters are left out: --full shows them ..."
    assert list(block(text)) == [text]
    assert list(block("x" * 400, 400)) == ["x" * 400]


def test_so_does_one_of_many_lines() -> None:
    lines = [str(number) for number in range(1000)]
    shown = list(block("\n".join(lines), 4000))
    assert (shown[:150], shown[151:]) == (lines[:150], lines[-50:])
    assert list(block("\n".join(lines[:200]), 4000)) == lines[:200]


def test_a_number_and_its_word() -> None:
    assert [counted(count, "token") for count in (0, 1, 1000)] == ["0 tokens", "1 token", "1,000 tokens"]
