"""Columns that fit."""

import pytest
from rich.cells import cell_len

from harness.report.columns import columns

ROWS = [("1", "answered", "7", ""), ("12", "图" * 30, "x" * 500, "")]


def test_numbers_end_flush_and_a_column_without_text_is_left_out() -> None:
    lines = list(
        columns(("task", "outcome", "gold", "flags"), [("1", "a", "7", ""), ("12", "bb", "8", "")], 80, right={0})
    )
    assert lines == ["task  outcome  gold", "   1  a        7", "  12  bb       8"]


@pytest.mark.parametrize("width", [10, 24, 40, 80, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    lines = list(columns(("task", "outcome", "gold", "flags"), ROWS, width))
    assert len(lines) == 3
    assert max(map(cell_len, lines)) <= width


def test_the_widest_are_cut_and_say_so() -> None:
    last = list(columns(("task", "outcome", "gold", "flags"), ROWS, 40))[-1]
    assert last.startswith("12")
    assert last.count("…") == 2
    assert last.count("x") > 10


def test_cells_are_lines_and_move_no_cursor() -> None:
    assert list(columns(("a",), [("\x1b[2J\n\u202e",)], 80)) == ["a", "\\x1b[2J\\x0a\\u202e"]
