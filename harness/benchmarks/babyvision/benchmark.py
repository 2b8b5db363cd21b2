"""BabyVision as a benchmark, over rows from whatever source."""

from collections.abc import Iterable, Mapping
from typing import Final

import attrs

from harness.agents.task import Task, neutral_names
from harness.benchmarks.babyvision.asking import INSTRUCTION, prompt, question
from harness.benchmarks.babyvision.rows import Row
from harness.benchmarks.base import Gold
from harness.errors import UnknownNameError, UsageError
from harness.store.canonical import JSON, dumps
from harness.store.digests import Digest, digest

# The instruction of each of the two benchmarks over the same rows.
INSTRUCTIONS: Final[Mapping[str, str]] = {"babyvision": INSTRUCTION, "babyvision-question-only": ""}


@attrs.frozen
class BabyVision:
    """A `harness.benchmarks.base.Benchmark`; ``rows`` by task id, in ascending order of the id."""

    name: str
    instruction: str
    rows: Mapping[str, Row] = attrs.field(repr=False)

    @classmethod
    def of(cls, name: str, rows: Iterable[Row]) -> "BabyVision":
        """The benchmark called ``name`` over these rows, in any order.

        Raises:
            UnknownNameError: no such benchmark.
            UsageError: two rows have one task id.
        """
        if name not in INSTRUCTIONS:
            raise UnknownNameError("benchmark", name, INSTRUCTIONS)
        by_id: dict[str, Row] = {}
        for row in sorted(rows, key=lambda row: row.task_id):
            if str(row.task_id) in by_id:
                raise UsageError(f"Two BabyVision rows have the taskId {row.task_id}; it must be unique.")
            by_id[str(row.task_id)] = row
        return cls(name, INSTRUCTIONS[name], by_id)

    @property
    def digest(self) -> Digest:
        return task_set_digest(self.rows.values())

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(self.rows)

    def task(self, task_id: str, timeout: float) -> Task:
        row = self._row(task_id)
        return Task(task_id, prompt(row, self.instruction), neutral_names([row.image]), timeout)

    def gold(self, task_id: str) -> Gold:
        row = self._row(task_id)
        return Gold(question(row), row.gold)

    def groups(self, task_id: str) -> Mapping[str, str]:
        row = self._row(task_id)
        return {"type": row.type, "subtype": row.subtype}

    def _row(self, task_id: str) -> Row:
        if task_id not in self.rows:
            raise UnknownNameError("task", task_id, self.rows)
        return self.rows[task_id]


def task_set_digest(rows: Iterable[Row]) -> Digest:
    """Digest of what decides a result: each row without its worked solution, images by their own digest.

    The order of the rows and the file that they came from make no difference.
    """
    described: list[JSON] = [
        {
            "taskId": row.task_id,
            "type": row.type,
            "subtype": row.subtype,
            "image": digest(row.image),
            "question": row.question,
            "options": row.options if row.ans_type == "choice" else (),
            "ansType": row.ans_type,
            "gold": row.gold,
        }
        for row in sorted(rows, key=lambda row: row.task_id)
    ]
    return digest(dumps(described))
