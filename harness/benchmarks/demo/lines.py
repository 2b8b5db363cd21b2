"""Puzzles with coloured lines: where one ends, and how many stations it has."""

from collections.abc import Sequence
from random import Random

from harness.benchmarks.demo import draw
from harness.benchmarks.demo.kind import PLACES, Box, Drawing, Kind, Part, everything, of_ink

COLOURS = ("red", "green", "blue", "orange")
STATION_MAX = 16  # pixels: the coloured middle of a station is smaller, a piece of line longer


def draw_connect(rng: Random) -> Drawing:
    picture = draw.blank(540, 340)
    heights = [50 + 80 * place for place in range(4)]
    ends = rng.sample(range(4), 4)
    asked = rng.randrange(4)
    colours = rng.sample(COLOURS, 4)
    # The line that is asked for comes last, so that no other one cuts it.
    for start in sorted(range(4), key=lambda start: start == asked):
        left, right = heights[start], heights[ends[start]]
        way = [(50, left), (110, left), (270, rng.randint(60, 280)), (430, right), (474, right)]
        draw.line(picture, colours[start], way, 5)
    for height in heights:
        draw.disc(picture, "black", (50, height), 9)
        draw.disc(picture, "black", (490, height), 9)
    question = (
        f"Where does the {colours[asked]} line end? Four lines of different colours run from the dots on the left to "
        "the dots on the right. Count the dots on the right from the top."
    )
    return Drawing(picture, question, ends[asked], tuple(f"at {place} dot" for place in PLACES))


def _right_dots(parts: Sequence[Part]) -> list[Part]:
    dots = of_ink(parts, "black")
    middle = (min(dot.x for dot in dots) + max(dot.x for dot in dots)) / 2 if dots else 0
    right = sorted((dot for dot in dots if dot.x > middle), key=lambda dot: dot.y)
    if len(right) != 4:
        raise ValueError(f"{len(right)} dots on the right")
    return right


def crop_connect(_question: str, seen: Sequence[Part]) -> Box:
    strip = Box.around(_right_dots(seen), margin=12)
    return Box(strip.x - 24, strip.y, strip.width + 24, strip.height)


def solve_connect(question: str, seen: Sequence[Part], shown: Sequence[Part]) -> str:
    ends = of_ink(shown, question.split()[3])
    if len(ends) != 1:
        raise ValueError(f"{len(ends)} ends of that line")
    gaps = [abs(dot.middle[1] - ends[0].middle[1]) for dot in _right_dots(seen)]
    return "ABCD"[gaps.index(min(gaps))]


def draw_metro(rng: Random) -> Drawing:
    picture = draw.blank(600, 360)
    colours = rng.sample(COLOURS, 4)
    asked = rng.randrange(4)
    stations = 0
    for number, colour in enumerate(colours):
        way = [(60 + 48 * stop, 60 + 80 * number + rng.randint(-20, 20)) for stop in range(11)]
        draw.line(picture, colour, way, 5)
        stops = rng.sample(way, rng.randint(3, 9))
        for stop in stops:
            draw.disc(picture, "black", stop, 11)
            draw.disc(picture, colour, stop, 6)
        if number == asked:
            stations = len(stops)
    question = (
        f"On the {colours[asked]} line, how many stations are there? The picture is a map of four lines; each "
        "station is a black ring. Answer with a number."
    )
    return Drawing(picture, question, str(stations))


def solve_metro(question: str, _seen: Sequence[Part], shown: Sequence[Part]) -> str:
    pieces = of_ink(shown, question.split()[2])
    return str(sum(max(piece.width, piece.height) <= STATION_MAX and piece.area > 60 for piece in pieces))


KINDS = (
    Kind("Visual Tracking", "Connect the lines", "Where does the", draw_connect, crop_connect, solve_connect),
    Kind("Visual Tracking", "Metro map", "On the", draw_metro, everything, solve_metro),
)
