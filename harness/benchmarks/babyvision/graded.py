"""What grading needs of BabyVision's puzzles: how each was put, the right answer, and its groups."""

from collections.abc import Mapping
from typing import Final

import attrs

from harness.benchmarks.babyvision.puzzle import Puzzle
from harness.benchmarks.babyvision.question import question
from harness.benchmarks.base import Gold
from harness.errors import UnknownNameError
from harness.grading.mode import JUDGED, Mode

# What decides a score beside the rule itself.
SOURCES: Final = tuple(f"harness.benchmarks.babyvision.{name}" for name in ("graded", "puzzle", "question"))


@attrs.frozen
class GradedPuzzles:
    """A `harness.benchmarks.base.Graded`; ``puzzles`` by task id, in the order of their numbers."""

    name: str
    puzzles: Mapping[str, Puzzle] = attrs.field(repr=False)

    @property
    def mode(self) -> Mode:
        return JUDGED

    @property
    def sources(self) -> tuple[str, ...]:
        return SOURCES

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(self.puzzles)

    def gold(self, task_id: str) -> Gold:
        puzzle = self._puzzle(task_id)
        return Gold(question(puzzle), puzzle.gold)

    def groups(self, task_id: str) -> Mapping[str, str]:
        puzzle = self._puzzle(task_id)
        return {"type": puzzle.type, "subtype": puzzle.subtype}

    def _puzzle(self, task_id: str) -> Puzzle:
        if task_id not in self.puzzles:
            raise UnknownNameError("task", task_id, self.puzzles)
        return self.puzzles[task_id]
