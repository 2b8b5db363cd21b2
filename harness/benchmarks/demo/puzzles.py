"""The demo's puzzles as BabyVision rows, drawn from a seed: the same bytes on every machine."""

from random import Random
from typing import Final, Literal

from harness.benchmarks.babyvision.rows import Row
from harness.benchmarks.demo import blocks, draw, lines, patterns, shapes
from harness.benchmarks.demo.kind import Kind

KINDS: Final[tuple[Kind, ...]] = (*shapes.KINDS, *lines.KINDS, *blocks.KINDS, *patterns.KINDS)

Intended = Literal["right", "wrong", "silent"]

# Of twelve puzzles in a row these carry a mark in their corner on which the scripted policy errs, or says nothing.
MARKED: Final[dict[int, Intended]] = {4: "wrong", 7: "silent", 9: "wrong"}
MARKS: Final[dict[str, Intended]] = {"purple": "wrong", "teal": "silent"}
MARK_AT, MARK_SIDE = (6, 6), 16  # pixels


def rows(seed: int, count: int = 12) -> tuple[Row, ...]:
    """``count`` puzzles with task ids from 1; each is of the next kind, every third one is a JPEG."""
    return tuple(_row(seed, index) for index in range(count))


def intended(task_id: int) -> Intended:
    """What the scripted policy is meant to do with a puzzle."""
    return MARKED.get((task_id - 1) % 12, "right")


def _row(seed: int, index: int) -> Row:
    kind = KINDS[index % len(KINDS)]
    drawing = kind.draw(Random(f"{seed}/{index}"))  # noqa: S311 (drawing, not secrets)
    for ink, meaning in MARKS.items():
        if meaning == intended(index + 1):
            draw.box(drawing.picture, ink, MARK_AT, MARK_SIDE, MARK_SIDE)
    chosen = drawing.answer if isinstance(drawing.answer, int) else None
    return Row(
        task_id=index + 1,
        type=kind.type,
        subtype=kind.subtype,
        image=draw.encode(drawing.picture, ".jpg" if index % 3 == 2 else ".png"),
        question=drawing.question,
        ans_type="blank" if chosen is None else "choice",
        options=drawing.options,
        choice_ans=chosen,
        blank_ans=None if isinstance(drawing.answer, int) else drawing.answer,
        co_t=f"The maker of this puzzle knows the answer: {drawing.answer}.",
    )
