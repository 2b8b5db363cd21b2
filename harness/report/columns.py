"""Rows of cells as lines of columns that fit a terminal: what is too long is cut, nothing wraps."""

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from harness.report.words import plain

GAP: Final = "  "
NARROW: Final = 6  # columns that a cut cell keeps
CELL_MAX: Final = 300  # characters of a cell that are looked at


def columns(
    headings: Sequence[str], rows: Sequence[Sequence[str]], width: int, *, right: Collection[int] = ()
) -> Iterator[str]:
    """The headings and the rows, in lines of at most ``width`` cells; ``right`` are the columns that end flush.

    Cells may hold anything (see `harness.report.words.plain`). Columns without any text are left out; where there is no
    room, the widest ones are cut.
    """
    from rich.cells import cell_len, set_cell_size  # wide letters take two cells

    shown = [[plain(cell[:CELL_MAX]) + "…" * (len(cell) > CELL_MAX) for cell in row] for row in rows]
    used = [index for index in range(len(headings)) if any(row[index] for row in shown)]
    table = [[line[index] for index in used] for line in (headings, *shown)]
    wanted = [max(cell_len(line[place]) for line in table) for place in range(len(used))]
    widths = _fitted(wanted, width - len(GAP) * (len(used) - 1))
    for line in table:
        cells = []
        for index, cell, room in zip(used, line, widths, strict=True):
            length = cell_len(cell)
            if length > room:
                cell, length = set_cell_size(cell, max(0, room - 1)) + "…", room
            space = " " * (room - length)
            cells.append(space + cell if index in right else cell + space)
        yield set_cell_size(GAP.join(cells), width).rstrip()


def _fitted(wanted: Sequence[int], width: int) -> list[int]:
    """The widths, with the widest ones lowered as far as need be."""
    widths = list(wanted)
    limit = max(widths, default=0)
    while sum(widths) > width and limit > NARROW:
        limit -= 1
        widths = [min(limit, one) for one in wanted]
    return widths
