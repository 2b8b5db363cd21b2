"""One's own benchmark as it is played: its tasks are read once, checked, and their images kept on disk."""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import attrs

from harness.agents.task import Task, neutral_names
from harness.benchmarks.babyvision.data.dataset import Images
from harness.benchmarks.babyvision.data.images import accept
from harness.benchmarks.own import definition
from harness.benchmarks.own.definition import Scripted
from harness.benchmarks.own.loading import Loaded
from harness.benchmarks.own.taskset import Kept, OwnTasks, task_set
from harness.errors import UsageError
from harness.grading.mode import JUDGED, RULED
from harness.grading.own import MEND, Own, calling
from harness.store.blobs import Blobs
from harness.store.digests import Digest, digest

if TYPE_CHECKING:
    from harness.benchmarks.demo.conversation import Conversation  # with what looks at pictures
    from harness.benchmarks.demo.policy import Reply

TASKS_MAX: Final = 100_000


@attrs.frozen(slots=False)
class OwnBenchmark(OwnTasks):
    """A `harness.benchmarks.base.Benchmark`. ``task`` raises StoreCorruptError where an image kept is damaged."""

    instruction: str
    images: Images = attrs.field(repr=False)
    demo: Scripted | None = attrs.field(repr=False)

    @classmethod
    def of(cls, loaded: Loaded, tasks: Mapping[str, Kept], images: Images, instruction: str | None) -> "OwnBenchmark":
        """The file's benchmark over tasks that were read; ``instruction`` takes the place of its own one."""
        made = loaded.benchmark
        mode = attrs.evolve(JUDGED if made.grade is None else RULED, own=loaded.own)
        words = made.instruction if instruction is None else instruction
        return cls(made.name, mode, tasks, words, images, made.demo)

    @property
    def digest(self) -> Digest:
        return digest(self.task_set)

    @property
    def task_set(self) -> bytes:
        return task_set(self.mode, self.tasks.values())

    @property
    def scripted(self) -> "Callable[[Conversation], Reply] | None":
        """The scripted model of ``--demo``; UsageError comes of it where the file's function raises anything."""
        own, demo = self.mode.own, self.demo
        return None if demo is None or own is None else lambda talk: _said(own, demo, talk)

    def prompt(self, task_id: str) -> str:
        question = self.kept(task_id).question
        return f"{self.instruction}\n\n{question}" if self.instruction else question

    def task(self, task_id: str, timeout: float) -> Task:
        images = [self.images.get(name) for name in self.kept(task_id).images]
        return Task(task_id, self.prompt(task_id), neutral_names(images), timeout)


def read(loaded: Loaded, images: Blobs) -> dict[str, Kept]:
    """Every task of the file by its id; the images go to ``images``, so that one task at a time is in memory.

    Raises UsageError for what isn't a task, an id that stands twice, no tasks or too many, or an image that can't be
    used.
    """
    path, found = loaded.own.path, dict[str, Kept]()
    for task in _tasks(loaded):
        if not isinstance(task, definition.Task):
            raise UsageError(f"{path}: tasks() gave {type(task).__name__}; each must be a Task of harness.api.")
        if task.id in found:
            raise UsageError(f"{path}: two tasks have the id {task.id!r}; ids must be unique.")
        if len(found) == TASKS_MAX:
            raise UsageError(f"{path}: tasks() gives more than {TASKS_MAX:,} tasks.")
        found[task.id] = _kept(path.name, task, images)
    if not found:
        raise UsageError(f"{path}: tasks() gives no task.")
    return found


def _tasks(loaded: Loaded) -> Iterator[object]:
    path = loaded.own.path
    with calling(path, "making tasks"):
        made: Any = loaded.benchmark.tasks()
        if made is None:  # a function without yield
            raise UsageError(f"{path}: tasks() returned None; it must yield or return tasks.")
        tasks = iter(made)
    end = object()
    while True:
        with calling(path, "making tasks"):
            task: object = next(tasks, end)
        if task is end:
            return
        yield task


def _kept(file: str, task: definition.Task, images: Blobs) -> Kept:
    names = []
    for number, data in enumerate(task.images, start=1):
        try:
            names.append(images.put(accept(data).data))
        except ValueError as error:
            raise UsageError(f"{file}: image {number} of task {task.id!r} {error}.") from None
    return Kept(
        id=task.id,
        question=task.question,
        gold=task.gold,
        images=tuple(names),
        type=task.type,
        subtype=task.subtype,
    )


def _said(own: Own, demo: Scripted, talk: "Conversation") -> "Reply":
    from harness.benchmarks.demo.policy import Reply

    with calling(own.path, "answering as the demo's model", MEND):
        said: object = demo(talk.prompt, talk.pictures)
    if not isinstance(said, str):
        raise UsageError(f"{own.path}: demo returned {type(said).__name__}; it must return text. {MEND}")
    return Reply(said)
