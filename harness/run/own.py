"""One's own benchmark in a run: its file where it is played, graded again or reproduced."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from harness.benchmarks.base import Graded
from harness.benchmarks.own import taskset
from harness.benchmarks.own.benchmark import OwnBenchmark, read
from harness.benchmarks.own.loading import Loaded, load
from harness.benchmarks.own.taskset import OwnTasks
from harness.errors import CanonicalError, UsageError
from harness.grading.mode import RULED
from harness.run.plan import plan
from harness.run.scorers import BENCHMARK_FILE, benchmark_of
from harness.run.settings.resolve import Settings
from harness.store import reading
from harness.store.blobs import Blobs
from harness.store.digests import parse_digest
from harness.store.grades import read_object
from harness.store.runfolder import RunFolder

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.benchmarks.demo.conversation import Conversation
    from harness.benchmarks.demo.policy import Reply


class Scripted:
    """The scripted model of one's own file: an error in it is the file's, and no attempt is to be made again for it."""

    def __init__(self, answer: "Callable[[Conversation], Reply]") -> None:
        self._answer = answer
        self._error: UsageError | None = None
        self._failed = asyncio.Event()

    def __call__(self, talk: "Conversation") -> "Reply":
        try:
            return self._answer(talk)
        except UsageError as error:
            self._error = self._error or error
            self._failed.set()
            raise

    async def failing(self) -> None:
        """Wait for its first error, and raise that: a UsageError with file and line."""
        await self._failed.wait()
        assert self._error is not None
        raise self._error


def benchmark(
    loaded: Loaded, settings: Settings, scratch: Path, record: RunFolder | None, words: str | None
) -> OwnBenchmark:
    """The file's benchmark as it is played; ``words`` take the place of its instruction.

    Its tasks are those of a ``record`` of the same benchmark that holds each planned one's images; else the file makes
    them, and their images come to stand in ``scratch``. Raises as `harness.benchmarks.own.benchmark.read` does.
    """
    found = None if record is None else _recorded(loaded, settings, record)
    if found is not None and record is not None:
        return OwnBenchmark.of(loaded, found.tasks, record.blobs, words)
    images = Blobs(scratch / "images")
    return OwnBenchmark.of(loaded, read(loaded, images), images, words)


def graded(run: RunFolder, file: Path | None) -> Graded:
    """A run's benchmark as it is graded; ``file`` is that of one's own, where a person names it.

    Raises UsageError where its rule is needed and no file is named, or another benchmark's.
    """
    found = benchmark_of(run)
    if file is None:
        if found.mode.name == RULED.name:
            raise UsageError(_lacking(run))
        return found
    if not isinstance(found, OwnTasks):
        raise UsageError(f"The run is of {found.name}, which needs no file. Leave out --benchmark.")
    loaded = load(file)
    if loaded.benchmark.name != found.name:
        raise UsageError(f"{file} is the benchmark {loaded.benchmark.name!r}, and the run is of {found.name!r}.")
    if (loaded.own.rule is not None) != (found.mode.name == RULED.name):
        raise UsageError(f"{file} has {'a' if loaded.own.rule else 'no'} rule, unlike the file that made the run.")
    return attrs.evolve(found, mode=attrs.evolve(found.mode, own=loaded.own))


def check_file(run: RunFolder, file: Path | None) -> None:
    """Whether a run can be played again with this file, if any; raises UsageError."""
    if isinstance(benchmark_of(run), OwnTasks):
        if file is None:
            raise UsageError(_lacking(run))
    elif file is None:
        return
    graded(run, file)


def _recorded(loaded: Loaded, settings: Settings, record: RunFolder) -> OwnTasks | None:
    if record.manifest.benchmark != loaded.benchmark.name:
        return None
    data = record.blobs.get(record.manifest.tasks)
    try:
        found = taskset.read_task_set(loaded.benchmark.name, data)
    except CanonicalError:
        return None
    planned = plan(found.ids, only=settings["tasks"], limit=settings["limit"])
    there = all(record.blobs.has(image) for item in planned for image in found.kept(item.task).images)
    return found if there else None


def _lacking(run: RunFolder) -> str:
    kept = _kept(run)
    copy = f" A copy of it was kept: {kept}. It is code: read it before you name it." if kept else ""
    return (
        f"The run is of {run.manifest.benchmark!r}, which a file of its maker's own defines. Name that file: "
        f"--benchmark FILE.{copy}"
    )


def _kept(run: RunFolder) -> Path | None:
    """The copy of the file that the run was graded by last."""
    found = list[tuple[str, Path]]()
    for name in reading.json_names(run.layout.observed):
        path = run.layout.observed / f"{name}.json"
        with reading.corrupt(path):
            match read_object(path):
                case {"started_ns": str(started), **more} if BENCHMARK_FILE in more:
                    found.append((started.zfill(20), run.blobs.path(parse_digest(more[BENCHMARK_FILE]))))
    return max(found)[1] if found else None
