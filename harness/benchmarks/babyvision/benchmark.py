"""BabyVision as a benchmark, over a data set whose images are read one at a time."""

from collections.abc import Mapping
from typing import Final

import attrs

from harness.agents.task import Task, neutral_names
from harness.benchmarks.babyvision.asking import INSTRUCTION, prompt, question
from harness.benchmarks.babyvision.data.dataset import DataSet
from harness.benchmarks.babyvision.puzzle import Puzzle
from harness.benchmarks.base import Gold
from harness.errors import UnknownNameError
from harness.store.digests import Digest

# The instruction of each of the two benchmarks over the same rows.
INSTRUCTIONS: Final[Mapping[str, str]] = {"babyvision": INSTRUCTION, "babyvision-question-only": ""}


@attrs.frozen
class BabyVision:
    """A `harness.benchmarks.base.Benchmark`. ``task`` raises StoreCorruptError where the image kept is damaged."""

    name: str
    instruction: str
    data: DataSet = attrs.field(repr=False)

    @classmethod
    def of(cls, name: str, data: DataSet, instruction: str | None = None) -> "BabyVision":
        """The benchmark called ``name`` over a data set; ``instruction`` takes the place of its own one.

        Raises UnknownNameError if there is no such benchmark.
        """
        if name not in INSTRUCTIONS:
            raise UnknownNameError("benchmark", name, INSTRUCTIONS)
        return cls(name, INSTRUCTIONS[name] if instruction is None else instruction, data)

    @property
    def digest(self) -> Digest:
        return self.data.digest

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(self.data.puzzles)

    def task(self, task_id: str, timeout: float) -> Task:
        puzzle = self._puzzle(task_id)
        return Task(task_id, prompt(puzzle, self.instruction), neutral_names([self.data.image(puzzle)]), timeout)

    def gold(self, task_id: str) -> Gold:
        puzzle = self._puzzle(task_id)
        return Gold(question(puzzle), puzzle.gold)

    def groups(self, task_id: str) -> Mapping[str, str]:
        puzzle = self._puzzle(task_id)
        return {"type": puzzle.type, "subtype": puzzle.subtype}

    def _puzzle(self, task_id: str) -> Puzzle:
        if task_id not in self.data.puzzles:
            raise UnknownNameError("task", task_id, self.data.puzzles)
        return self.data.puzzles[task_id]
