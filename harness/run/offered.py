"""The benchmarks that can be run by name, and whether their data is on this machine."""

from pathlib import Path

import attrs

from harness.benchmarks.babyvision.data.installed import Place
from harness.benchmarks.babyvision.names import ASKED, TASKS
from harness.errors import HarnessError
from harness.run.settings.table import BY_NAME
from harness.store.canonical import JSON

GRADED = "an LLM judge compares the answer with the right one; with --demo a rule stands in for it"
GET_IT = "harness data fetch, or: harness data add FILE"


@attrs.frozen(kw_only=True)
class Data:
    """Where a benchmark's data is or would be: ``tasks`` that are installed there, and else what to do."""

    folder: Path
    tasks: int
    advice: str | None


@attrs.frozen(kw_only=True)
class Offered:
    """One benchmark; ``demo_tasks``: how many puzzles its ``--demo`` has unless one says another number."""

    name: str
    asked: str
    graded: str
    tasks: int
    demo_tasks: int
    data: Data

    def to_json(self) -> dict[str, JSON]:
        folder = str(self.data.folder)
        return {**attrs.asdict(self, recurse=False), "data": {**attrs.asdict(self.data), "folder": folder}}


def offered(data_dir: Path) -> list[Offered]:
    """Each benchmark, with what is installed in the folder of data sets; damage there is told as advice."""
    data = _data(Place.of(data_dir))
    return [
        Offered(
            name=name,
            asked=asked,
            graded=GRADED,
            tasks=TASKS,
            demo_tasks=BY_NAME["demo_puzzles"].default,
            data=data,
        )
        for name, asked in ASKED.items()
    ]


def _data(place: Place) -> Data:
    try:
        installed = place.open()
    except HarnessError as error:
        return Data(folder=place.folder, tasks=0, advice=str(error))
    tasks = 0 if installed is None else len(installed.data.puzzles)
    return Data(folder=place.folder, tasks=tasks, advice=None if tasks else GET_IT)
