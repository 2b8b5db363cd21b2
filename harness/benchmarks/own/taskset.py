"""The task set of one's own benchmark: what a run folder keeps of it, and what grading needs; without the file's code.

Canonical JSON::

    format     of the task set
    grading    rule or judge
    tasks      [{id, question, gold, images, type, subtype}] in the file's order; images by SHA-256
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final

import attrs

from harness.benchmarks.base import Gold
from harness.errors import CanonicalError, UnknownNameError
from harness.grading.mode import JUDGED, RULED, Mode
from harness.store.canonical import JSON, dumps, loads_strict
from harness.store.digests import Digest, parse_digest
from harness.store.fields import Fields

FORMAT: Final = 1
ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")  # also a folder's name, and an item of --tasks

# What decides a score beside the rule or the judge.
SOURCES: Final = ("harness.benchmarks.own.taskset",)


@attrs.frozen(kw_only=True)
class Kept:
    """A task as it is kept: its images by their digests."""

    id: str
    question: str
    gold: str = attrs.field(repr=False)
    images: tuple[Digest, ...]
    type: str
    subtype: str

    @classmethod
    def from_json(cls, value: JSON) -> "Kept":
        """Read one task; raises CanonicalError."""
        fields = Fields(value, "a task")
        kept = cls(
            id=fields.text("id"),
            question=fields.text("question"),
            gold=fields.text("gold"),
            images=fields.items("images", parse_digest),
            type=fields.text("type"),
            subtype=fields.text("subtype"),
        )
        fields.end()
        if ID.fullmatch(kept.id) is None:
            raise CanonicalError(f"{kept.id!r:.100} is no task's id.")
        return kept


@attrs.frozen(slots=False)
class OwnTasks:
    """A `harness.benchmarks.base.Graded`; ``tasks`` by their ids in the file's order."""

    name: str
    mode: Mode
    tasks: Mapping[str, Kept] = attrs.field(repr=False)

    @property
    def sources(self) -> tuple[str, ...]:
        return SOURCES

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(self.tasks)

    def gold(self, task_id: str) -> Gold:
        task = self.kept(task_id)
        return Gold(task.question, task.gold)

    def groups(self, task_id: str) -> Mapping[str, str]:
        task = self.kept(task_id)
        return {name: group for name, group in (("type", task.type), ("subtype", task.subtype)) if group}

    def kept(self, task_id: str) -> Kept:
        """The task of an id; raises UnknownNameError."""
        if task_id not in self.tasks:
            raise UnknownNameError("task", task_id, self.tasks)
        return self.tasks[task_id]


def task_set(mode: Mode, tasks: Iterable[Kept]) -> bytes:
    """The canonical bytes; raises CanonicalError for texts that JSON doesn't know."""
    found: list[JSON] = [attrs.asdict(task) for task in tasks]
    return dumps({"format": FORMAT, "grading": "judge" if mode.name == JUDGED.name else "rule", "tasks": found})


def read_task_set(name: str, data: bytes) -> OwnTasks:
    """The tasks of the benchmark called ``name``; raises CanonicalError for what `task_set` didn't write."""
    fields = Fields(loads_strict(data, canonical=True), "the task set")
    if fields.integer("format") != FORMAT:
        raise CanonicalError(f"The task set's format is another one than {FORMAT}, which this version reads.")
    mode = {"judge": JUDGED, "rule": RULED}.get(fields.text("grading"))
    tasks = fields.items("tasks", Kept.from_json)
    fields.end()
    by_id = {task.id: task for task in tasks}
    if mode is None or len(by_id) != len(tasks):
        raise CanonicalError("It is graded in no known way, or has a task twice.")
    return OwnTasks(name, mode, by_id)


def is_task_set(data: bytes) -> bool:
    """Whether bytes begin as a task set of one's own benchmark does; the harness's own ones are lists."""
    return data.startswith(b'{"format":')
