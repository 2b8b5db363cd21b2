"""A data set as ``harness data`` shows it: as JSON, and as lines for people."""

from collections.abc import Iterator

from harness.benchmarks.babyvision.data.checking import Checked
from harness.benchmarks.babyvision.data.dataset import DataSet
from harness.benchmarks.babyvision.data.installed import Installed
from harness.store.canonical import JSON


def installed_facts(installed: Installed) -> dict[str, JSON]:
    """What is installed, where, and which files it came from."""
    origins: list[JSON] = [
        {
            "kind": origin.kind,
            "sha256": origin.sha256,
            "bytes": origin.size,
            "record": str(installed.place.record(origin.kind)),
        }
        for origin in installed.origins
    ]
    return {"folder": str(installed.place.folder), "origins": origins, **_tasks(installed.data)}


def file_facts(checked: Checked) -> dict[str, JSON]:
    """What a file is."""
    return {"kind": checked.kind, "sha256": checked.sha256, "bytes": checked.size, **_tasks(checked.data)}


def installed_lines(installed: Installed) -> Iterator[str]:
    """The same for people."""
    yield _line("folder", installed.place.folder)
    for origin in installed.origins:
        yield _line(f"from a {origin.kind}", f"SHA-256 {origin.sha256}, {origin.size:,} bytes")
    yield from _task_lines(installed.data)


def file_lines(checked: Checked) -> Iterator[str]:
    """The same for people."""
    yield _line(f"a {checked.kind}", f"SHA-256 {checked.sha256}, {checked.size:,} bytes")
    yield from _task_lines(checked.data)


def _tasks(data: DataSet) -> dict[str, JSON]:
    converted: list[JSON] = [
        {"task": puzzle.task_id, "format": puzzle.original.format, "sha256": puzzle.original.sha256}
        for puzzle in data.puzzles.values()
        if puzzle.original is not None
    ]
    return {"tasks": len(data.puzzles), "task_set": data.digest, "converted": converted}


def _task_lines(data: DataSet) -> Iterator[str]:
    converted = [puzzle for puzzle in data.puzzles.values() if puzzle.original is not None]
    yield _line("tasks", len(data.puzzles))
    yield _line("task set", data.digest)
    yield _line("converted", f"{len(converted)} images to PNG")
    for puzzle in converted:
        assert puzzle.original is not None
        yield _line("", f"task {puzzle.task_id} from {puzzle.original.format}, SHA-256 {puzzle.original.sha256}")


def _line(name: str, value: object) -> str:
    return f"{name:<16}{value}"
