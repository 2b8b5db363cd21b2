"""A puzzle with depth: a row of stacked blocks to count."""

from collections.abc import Sequence
from random import Random

from harness.benchmarks.demo import draw
from harness.benchmarks.demo.kind import Drawing, Kind, Part, everything, of_ink

SIDE, DEPTH = 40, 14  # pixels


def draw_blocks(rng: Random) -> Drawing:
    heights = [rng.randint(1, 5) for _ in range(rng.randint(4, 7))]
    picture = draw.blank(SIDE * len(heights) + 120, 300)
    base = 260
    for place, height in enumerate(heights):
        left, top = 50 + SIDE * place, base - SIDE * height
        right = left + SIDE
        side = [(right, top), (right + DEPTH, top - DEPTH), (right + DEPTH, base - DEPTH), (right, base)]
        lid = [(left, top), (left + DEPTH, top - DEPTH), (right + DEPTH, top - DEPTH), (right, top)]
        for ink, face in (("blue", side), ("grey", lid)):
            draw.polygon(picture, ink, face)
            draw.outline(picture, "black", face)
        for level in range(height):
            corner = left, top + SIDE * level
            draw.box(picture, "orange", corner, SIDE, SIDE)
            draw.frame(picture, "black", corner, SIDE + 1, SIDE + 1)
    question = "Count the blocks. They stand in one row, and the front of each can be seen. Answer with a number."
    return Drawing(picture, question, str(sum(heights)))


def solve_blocks(_question: str, _seen: Sequence[Part], shown: Sequence[Part]) -> str:
    return str(sum(part.area > SIDE * SIDE / 2 for part in of_ink(shown, "orange")))


KINDS = (Kind("Spatial Perception", "Count 3D blocks", "Count the blocks", draw_blocks, everything, solve_blocks),)
