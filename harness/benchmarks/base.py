"""What the rest of the harness knows of a benchmark."""

from collections.abc import Mapping
from typing import Protocol

import attrs

from harness.agents.task import Task
from harness.store.digests import Digest


@attrs.frozen
class Gold:
    """What grading needs and no sandbox ever gets: the question as it was put, and the right answer."""

    question: str
    answer: str = attrs.field(repr=False)


class Benchmark(Protocol):
    """A set of tasks, how each is asked, and what each answer is graded against.

    Task ids are text, unique, and in an order that is always the same. Where a method takes an id that the benchmark
    doesn't have, it raises UnknownNameError.
    """

    @property
    def name(self) -> str:
        """The name on the command line and in the manifest."""

    @property
    def instruction(self) -> str:
        """The text that stands before each question; empty where only the question is put."""

    @property
    def digest(self) -> Digest:
        """Names the set of tasks by content, wherever they were read from."""

    @property
    def ids(self) -> tuple[str, ...]:
        """Every task."""

    def task(self, task_id: str, timeout: float) -> Task:
        """What the agent gets, with ``timeout`` in seconds."""

    def gold(self, task_id: str) -> Gold:
        """What the judge gets beside the answer."""

    def groups(self, task_id: str) -> Mapping[str, str]:
        """The groups by which results are summed up: name of the grouping to the task's group."""
