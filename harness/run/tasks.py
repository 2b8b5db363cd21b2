"""Which tasks a run has: the demo's, or BabyVision from where the settings say."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

import attrs

from harness.benchmarks.babyvision.asking import prompt
from harness.benchmarks.babyvision.benchmark import BabyVision
from harness.benchmarks.babyvision.data.dataset import DataSet
from harness.benchmarks.babyvision.data.installed import Place
from harness.benchmarks.babyvision.puzzle import read_task_set
from harness.benchmarks.base import Benchmark
from harness.benchmarks.own.loading import Loaded, is_file, load
from harness.errors import UsageError
from harness.run import own
from harness.run.plan import plan
from harness.run.settings import instruction
from harness.run.settings.check import OF_DATA, OF_DEMO
from harness.run.settings.datadir import data_dir
from harness.run.settings.resolve import Settings, chosen
from harness.store.digests import digest
from harness.store.runfolder import RunFolder

# Settings by which a person says where the tasks come from.
NAMING_DATA: Final = ("demo", *OF_DEMO, *OF_DATA)


def benchmark(name: str, settings: Settings, scratch: Path, record: RunFolder | None = None) -> Benchmark:
    """The benchmark of this name, over the data that the settings choose; or one's own, of the file of this name.

    With ``demo``, its puzzles, which are written into ``scratch`` and must be there as long as the run. Else the files
    that ``babyvision_zip`` and ``babyvision_parquet`` name, which are installed first; else the installed data set. A
    ``record`` that holds each planned task's image is data enough where no flag or file names any, and its instruction
    is taken unless a flag or file names one.

    Raises UsageError where there is no data or a file is not the data, StoreCorruptError where the installed data set
    is damaged, NoSpaceError or HarnessError where it can't be installed.
    """
    if is_file(name):
        return _own(load(Path(name)), settings, scratch, record)
    named = any(chosen(settings, name) for name in NAMING_DATA)
    data = None if record is None or named else _recorded(record, settings)
    if data is None:
        data = _demo(settings, scratch) if settings["demo"] else _babyvision(settings)
    words = instruction.read(settings)
    if words is None and record is not None:
        puzzles = data.puzzles
        words = _words(record, BabyVision.of(name, data), lambda task: prompt(puzzles[task], ""))
    return BabyVision.of(name, data, words)


def _own(loaded: Loaded, settings: Settings, scratch: Path, record: RunFolder | None) -> Benchmark:
    found = own.benchmark(loaded, settings, scratch, record, instruction.read(settings))
    if record is None or settings["instruction"] is not None:
        return found
    words = _words(record, found, lambda task: found.kept(task).question)
    return found if words is None else attrs.evolve(found, instruction=words)


def _words(record: RunFolder, usual: Benchmark, question: Callable[[str], str]) -> str | None:
    """The instruction that a recorded run was made with, out of one of its prompts; None where that is the usual one.

    ``question``: what the prompt of a task ends with. None also where the record doesn't show it: then the manifests
    tell that it is another one.
    """
    manifest, tasks = record.manifest, set(usual.ids)
    wanted = manifest.prompts.get("instruction")
    if usual.name != manifest.benchmark or not usual.instruction or wanted == digest(usual.instruction.encode()):
        return None
    for done in record.dones():
        asked = record.blobs.get(record.rollout(done).content.prompt).decode("utf-8", "replace")
        words = asked.removesuffix(f"\n\n{question(done.task)}") if done.task in tasks else ""
        if digest(words.encode()) == wanted:
            return words
    return None


def _recorded(record: RunFolder, settings: Settings) -> DataSet | None:
    """The task set of a recorded run; None where it holds not all the images that are planned."""
    puzzles = read_task_set(record.blobs.get(record.manifest.tasks))
    planned = plan(tuple(puzzles), only=settings["tasks"], limit=settings["limit"])
    if not all(record.blobs.has(puzzles[item.task].image) for item in planned):
        return None
    return DataSet.of(puzzles.values(), record.blobs)


def _demo(settings: Settings, scratch: Path) -> DataSet:
    from harness.benchmarks.demo import parquet

    return parquet.prepare(scratch, settings["demo_seed"], settings["demo_puzzles"]).opened().data


def _babyvision(settings: Settings) -> DataSet:
    place = Place.of(data_dir(settings["data_dir"], os.environ))
    given = [settings[name] for name in ("babyvision_zip", "babyvision_parquet") if settings[name] is not None]
    if given:
        from harness.benchmarks.babyvision.data.importing import use

        for path in given:
            use(place, Path(path))
    installed = place.open()
    if installed is None:
        raise UsageError(
            f"No BabyVision data is installed in {place.folder}. Download it with: harness data fetch. Or install a "
            "copy of yours with: harness data add FILE. Or play puzzles that need no data: --demo"
        )
    return installed.data
