"""BabyVision as a benchmark, over a data set whose images are read one at a time."""

from collections.abc import Mapping
from typing import Final

import attrs

from harness.agents.task import Task, neutral_names
from harness.benchmarks.babyvision.asking import INSTRUCTION, prompt
from harness.benchmarks.babyvision.data.dataset import DataSet
from harness.benchmarks.babyvision.graded import GradedPuzzles
from harness.benchmarks.babyvision.names import NAMES
from harness.benchmarks.babyvision.puzzle import task_set
from harness.errors import UnknownNameError
from harness.store.digests import Digest

# The instruction of each of the two benchmarks over the same rows.
INSTRUCTIONS: Final[Mapping[str, str]] = dict(zip(NAMES, (INSTRUCTION, ""), strict=True))


@attrs.frozen
class BabyVision(GradedPuzzles):
    """A `harness.benchmarks.base.Benchmark`. ``task`` raises StoreCorruptError where the image kept is damaged."""

    instruction: str
    data: DataSet = attrs.field(repr=False)

    @classmethod
    def of(cls, name: str, data: DataSet, instruction: str | None = None) -> "BabyVision":
        """The benchmark called ``name`` over a data set; ``instruction`` takes the place of its own one.

        Raises UnknownNameError if there is no such benchmark.
        """
        if name not in INSTRUCTIONS:
            raise UnknownNameError("benchmark", name, INSTRUCTIONS)
        return cls(name, data.puzzles, INSTRUCTIONS[name] if instruction is None else instruction, data)

    @property
    def digest(self) -> Digest:
        return self.data.digest

    @property
    def task_set(self) -> bytes:
        return task_set(self.puzzles.values())

    @property
    def scripted(self) -> None:
        return None

    def prompt(self, task_id: str) -> str:
        return prompt(self._puzzle(task_id), self.instruction)

    def task(self, task_id: str, timeout: float) -> Task:
        image = self.data.image(self._puzzle(task_id))
        return Task(task_id, self.prompt(task_id), neutral_names([image]), timeout)
