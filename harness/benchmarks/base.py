"""What the rest of the harness knows of a benchmark."""

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, Protocol

import attrs

from harness.agents.task import Task
from harness.grading.mode import Mode
from harness.store.digests import Digest

if TYPE_CHECKING:
    from harness.benchmarks.demo.conversation import Conversation  # with what looks at pictures
    from harness.benchmarks.demo.policy import Reply

#: How benchmarks are called: the name becomes a folder's name and a command's argument.
NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


@attrs.frozen
class Gold:
    """What grading needs and no sandbox ever gets: the question as it was put, and the right answer."""

    question: str
    answer: str = attrs.field(repr=False)


class Graded(Protocol):
    """A set of tasks and what each answer is graded against: all that grading needs of a benchmark.

    Task ids are text, unique, and in an order that is always the same. Where a method takes an id that the benchmark
    doesn't have, it raises UnknownNameError.
    """

    @property
    def name(self) -> str:
        """The name on the command line and in the manifest."""

    @property
    def mode(self) -> Mode:
        """How it is graded, and what of that can be done again."""

    @property
    def sources(self) -> tuple[str, ...]:
        """The names of its own modules that decide a score: they are part of the scorer."""

    @property
    def ids(self) -> tuple[str, ...]:
        """Every task."""

    def gold(self, task_id: str) -> Gold:
        """What the judge gets beside the answer."""

    def groups(self, task_id: str) -> Mapping[str, str]:
        """The groups by which results are summed up: name of the grouping to the task's group."""


class Benchmark(Graded, Protocol):
    """A benchmark that can be played: it has its data, and says how each task is asked."""

    @property
    def instruction(self) -> str:
        """The text that stands before each question; empty where only the question is put."""

    @property
    def digest(self) -> Digest:
        """Names the set of tasks by content, wherever they were read from."""

    @property
    def task_set(self) -> bytes:
        """The canonical bytes that ``digest`` is of: `harness.benchmarks.recorded` reads them back."""

    @property
    def scripted(self) -> "Callable[[Conversation], Reply] | None":
        """The model that ``--demo`` plays against; None where it is that of the demo's puzzles."""

    def prompt(self, task_id: str) -> str:
        """The whole text that the agent gets."""

    def task(self, task_id: str, timeout: float) -> Task:
        """What the agent gets, with ``timeout`` in seconds."""
