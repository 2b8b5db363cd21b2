"""Puzzles with many small shapes: find the one that differs, count those of one form."""

from collections.abc import Sequence
from random import Random
from statistics import median

from harness.benchmarks.demo import draw
from harness.benchmarks.demo.kind import Box, Drawing, Kind, Part, everything, of_ink

# The share of its bounding box that each form fills, in hundredths.
FORMS = {"triangles": 50, "discs": 78, "squares": 100}


def draw_different(rng: Random) -> Drawing:
    rows, columns = rng.randint(4, 6), rng.randint(5, 8)
    odd = rng.randrange(rows), rng.randrange(columns)
    picture = draw.blank(48 * columns + 40, 48 * rows + 40)
    for row in range(rows):
        for column in range(columns):
            centre = 44 + 48 * column, 44 + 48 * row
            draw.disc(picture, "black", centre, 15)
            if (row, column) == odd:
                draw.disc(picture, "white", centre, 6)
    question = (
        f"Which one is different? The picture shows {rows * columns} discs in {rows} rows and {columns} columns. "
        "Answer as (row,column), counted from the top left: (2,3) is the second row and the third column."
    )
    return Drawing(picture, question, f"({odd[0] + 1},{odd[1] + 1})")


def _odd(seen: Sequence[Part], among: Sequence[Part]) -> Part:
    """The one of ``among`` whose area is far from the usual one."""
    discs = of_ink(seen, "black")
    usual = median(part.area for part in discs) if discs else 0
    odd = [part for part in of_ink(among, "black") if abs(part.area - usual) > usual / 10]
    if len(odd) != 1:
        raise ValueError(f"{len(odd)} discs are different")
    return odd[0]


def crop_different(_question: str, seen: Sequence[Part]) -> Box:
    return Box.around([_odd(seen, seen)], margin=6)


def solve_different(_question: str, seen: Sequence[Part], shown: Sequence[Part]) -> str:
    odd = _odd(seen, shown)
    discs = of_ink(seen, "black")
    row = 1 + round((odd.y - min(disc.y for disc in discs)) / 48)
    column = 1 + round((odd.x - min(disc.x for disc in discs)) / 48)
    return f"({row},{column})"


def draw_count(rng: Random) -> Drawing:
    picture = draw.blank(440, 340)
    asked = rng.choice(sorted(FORMS))
    forms = [asked, *(rng.choice(sorted(FORMS)) for _ in range(rng.randint(10, 20)))]
    places = rng.sample([(x, y) for x in range(6) for y in range(4)], len(forms))
    for form, (x, y) in zip(forms, places, strict=True):
        left, top = 50 + 62 * x + rng.randrange(16), 50 + 66 * y + rng.randrange(16)
        if form == "discs":
            draw.disc(picture, "black", (left + 14, top + 14), 14)
        elif form == "squares":
            draw.box(picture, "black", (left, top), 28, 28)
        else:
            draw.polygon(picture, "black", [(left, top + 28), (left + 28, top + 28), (left + 14, top)])
    question = f"How many {asked} are in the picture? Answer with a number."
    return Drawing(picture, question, str(forms.count(asked)))


def solve_count(question: str, _seen: Sequence[Part], shown: Sequence[Part]) -> str:
    asked = question.split()[2]

    def form(part: Part) -> str:
        filled = 100 * part.area / (part.width * part.height)
        return min(FORMS, key=lambda name: abs(FORMS[name] - filled))

    return str(sum(form(part) == asked for part in of_ink(shown, "black")))


KINDS = (
    Kind(
        "Fine-grained Discrimination",
        "Find the different",
        "Which one is different?",
        draw_different,
        crop_different,
        solve_different,
    ),
    Kind("Fine-grained Discrimination", "Count Same Patterns", "How many", draw_count, everything, solve_count),
)
