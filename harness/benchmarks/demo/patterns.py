"""Puzzles of one form: a pattern of squares above, four candidates below, and a rule that tells the right one."""

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from harness.benchmarks.demo import draw
from harness.benchmarks.demo.kind import PLACES, Drawing, Kind, Part, everything, of_ink

Cells: TypeAlias = NDArray[np.bool_]
N = 4  # rows of every pattern
PITCH, SQUARE, EDGE = 22, 14, 4  # pixels


@attrs.frozen
class Rule:
    """``apply`` makes the right pattern from the ``sources`` patterns above; ``words`` say how, for the question."""

    type: str
    subtype: str
    asks: str
    words: str
    sources: int
    apply: Callable[[Sequence[Cells]], Cells]


RULES = (
    Rule(
        "Visual Pattern Recognition",
        "Mirroring Patterns",
        "Which is the mirror image",
        "of the pattern above, with the mirror upright at its right side?",
        1,
        lambda above: above[0][:, ::-1],
    ),
    Rule(
        "Visual Pattern Recognition",
        "Rotation Patterns",
        "Which is the pattern above, turned",
        "by a quarter clockwise?",
        1,
        lambda above: np.rot90(above[0], -1),
    ),
    Rule(
        "Visual Pattern Recognition",
        "Overlay Patterns",
        "Which results if the two patterns above",
        "are laid over each other?",
        2,
        lambda above: above[0] | above[1],
    ),
    Rule(
        "Spatial Perception",
        "Paper Folding",
        "Which is the sheet after unfolding",
        "? The sheet above was folded once, with the fold at its right edge, and then the squares were cut out.",
        1,
        lambda above: np.hstack([above[0], above[0][:, ::-1]]),
    ),
)


def draw_rule(rule: Rule, rng: Random) -> Drawing:
    above = _sources(rule, rng)
    right = rule.apply(above)
    candidates = _candidates(right, rng)
    place = rng.randrange(4)
    candidates[0], candidates[place] = candidates[place], candidates[0]
    step = right.shape[1] * PITCH + 40
    picture = draw.blank(4 * step + 40, 320)
    for number, cells in enumerate(above):
        _grid(picture, cells, (60 + number * 140, 40))
    for number, cells in enumerate(candidates):
        _grid(picture, cells, (40 + number * step, 190))
    question = f"{rule.asks} {rule.words}".replace(" ?", "?") + " Choose one of the four in the lower row."
    return Drawing(picture, question, place, tuple(f"{name} from the left" for name in PLACES))


def _sources(rule: Rule, rng: Random) -> list[Cells]:
    """Patterns on which the rule shows: it changes each of them."""
    while True:
        above = [np.array([rng.random() < 0.45 for _ in range(N * N)]).reshape(N, N) for _ in range(rule.sources)]
        if all(cells.any() and not np.array_equal(rule.apply(above), cells) for cells in above):
            return above


def _candidates(right: Cells, rng: Random) -> list[Cells]:
    """The right pattern first, then three that differ from it in two squares, each in others."""
    spots = rng.sample(range(right.size), 6)
    wrong = [right.copy() for _ in range(3)]
    for number, cells in enumerate(wrong):
        cells.flat[spots[2 * number : 2 * number + 2]] ^= True
    return [right, *wrong]


def _grid(picture: draw.Picture, cells: Cells, corner: draw.Point) -> None:
    left, top = corner
    draw.frame(picture, "grey", corner, cells.shape[1] * PITCH + 2 * EDGE, N * PITCH + 2 * EDGE)
    for row, column in np.argwhere(cells):
        spot = left + 2 * EDGE + PITCH * int(column), top + 2 * EDGE + PITCH * int(row)
        draw.box(picture, "black", spot, SQUARE, SQUARE)


def solve_rule(rule: Rule, _question: str, _seen: Sequence[Part], shown: Sequence[Part]) -> str:
    frames = [part for part in of_ink(shown, "grey") if part.height > N * PITCH // 2]
    above = sorted((part for part in frames if part.y < 150), key=lambda part: part.x)
    below = sorted((part for part in frames if part.y >= 150), key=lambda part: part.x)
    if len(above) != rule.sources or len(below) != 4:
        raise ValueError(f"{len(above)} patterns above, {len(below)} below")
    right = rule.apply([_read(part, shown) for part in above])
    fits = [number for number, part in enumerate(below) if np.array_equal(_read(part, shown), right)]
    if len(fits) != 1:
        raise ValueError(f"{len(fits)} of the candidates fit")
    return "ABCD"[fits[0]]


def _read(grid: Part, shown: Sequence[Part]) -> Cells:
    columns = round(grid.width / (PITCH + 2))
    cells = np.zeros((N, columns), dtype=np.bool_)
    for part in of_ink(shown, "black"):
        x, y = part.middle[0] - grid.x, part.middle[1] - grid.y
        if 0 <= x < grid.width and 0 <= y < grid.height:
            cells[int(y * N / grid.height), int(x * columns / grid.width)] = True
    return cells


KINDS = tuple(
    Kind(rule.type, rule.subtype, rule.asks, partial(draw_rule, rule), everything, partial(solve_rule, rule))
    for rule in RULES
)
