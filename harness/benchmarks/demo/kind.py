"""What a kind of puzzle is: how it is drawn, and how it is solved from what can be measured in the picture."""

from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import Self

import attrs

from harness.benchmarks.demo.draw import Picture

PLACES = ("the first", "the second", "the third", "the fourth")


@attrs.frozen(order=True)
class Part:
    """A connected part of one colour: its bounding box and area in pixels, as `look.parts` gives it."""

    ink: str
    x: int
    y: int
    width: int
    height: int
    area: int

    @property
    def middle(self) -> tuple[float, float]:
        return self.x + self.width / 2, self.y + self.height / 2

    def moved(self, dx: int, dy: int) -> Self:
        return attrs.evolve(self, x=self.x + dx, y=self.y + dy)

    def inside(self, box: "Box") -> bool:
        """Whether it lies in the box without touching its edge."""
        return (
            box.x < self.x
            and box.y < self.y
            and self.x + self.width < box.x + box.width
            and self.y + self.height < box.y + box.height
        )


@attrs.frozen
class Box:
    """A rectangle of the picture, in pixels."""

    x: int
    y: int
    width: int
    height: int

    @classmethod
    def around(cls, parts: Iterable[Part], margin: int) -> Self:
        """The smallest box that holds all parts (at least one), and ``margin`` pixels more on each side."""
        held = list(parts)
        left = max(0, min(part.x for part in held) - margin)
        top = max(0, min(part.y for part in held) - margin)
        right = max(part.x + part.width for part in held) + margin
        bottom = max(part.y + part.height for part in held) + margin
        return cls(left, top, right - left, bottom - top)


@attrs.frozen
class Drawing:
    """A puzzle: ``answer`` is text, or the index of the right one of ``options``."""

    picture: Picture = attrs.field(eq=False, repr=False)
    question: str
    answer: str | int
    options: tuple[str, ...] = ()


@attrs.frozen
class Kind:
    """A kind of puzzle, under BabyVision's own names.

    ``asks`` is the beginning of its questions, by which the policy knows it. ``crop`` says from the question and the
    measured parts what to look at closely. ``solve`` gets the question, the measured parts, and the parts of the crop
    (in the coordinates of the whole picture); it returns the answer, or raises ValueError where they don't show one.
    """

    type: str
    subtype: str
    asks: str
    draw: Callable[[Random], Drawing]
    crop: Callable[[str, Sequence[Part]], Box]
    solve: Callable[[str, Sequence[Part], Sequence[Part]], str]


def of_ink(parts: Iterable[Part], ink: str) -> list[Part]:
    return [part for part in parts if part.ink == ink]


def everything(_question: str, parts: Sequence[Part]) -> Box:
    """A crop of all that is drawn."""
    return Box.around(parts, margin=8)
