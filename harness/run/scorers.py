"""Which scorer a run is graded by: what names it, and its description.

Each start of a run and each scoring of it with another scorer stands in observed/ and names its scorer; the latest one
holds. The description is the blob of the scorer's name.
"""

import platform
import time
from collections.abc import Iterator
from itertools import chain
from typing import Final

from harness import __version__
from harness.benchmarks.base import Graded
from harness.benchmarks.recorded import recorded
from harness.errors import CanonicalError, StoreCorruptError, UsageError
from harness.grading.mode import RULED
from harness.grading.own import Own
from harness.grading.prompt import JudgeSettings
from harness.grading.scorer import Scorer, described, scorer
from harness.store import reading
from harness.store.digests import Digest, parse_digest
from harness.store.fields import Fields
from harness.store.grades import read_object
from harness.store.runfolder import RunFolder

# Stands in the place of a judge where a benchmark's own rule grades.
NO_JUDGE: Final = JudgeSettings(model="own rule")
# What names, in observed/, the blob with the file of one's own benchmark.
BENCHMARK_FILE: Final = "benchmark_file"


def benchmark_of(run: RunFolder) -> Graded:
    """The run's benchmark, from the run folder alone; raises as `recorded` does."""
    return recorded(run.manifest.benchmark, run.blobs.get(run.manifest.tasks))


def scorer_of(benchmark: Graded, judge: JudgeSettings, judging: int = 0) -> Scorer:
    """The scorer that grades a benchmark now; ``judge`` is nothing to a benchmark with a rule of its own."""
    if benchmark.mode.name == RULED.name:
        judge, judging = NO_JUDGE, 0
    return scorer(judge, benchmark.mode, benchmark.sources, judging=judging)


def keep(run: RunFolder, now: Scorer, own: Own | None = None) -> None:
    """Keep a scorer's description, and that the run is graded by it from now on; with it one's own file.

    Raises as the store does.
    """
    run.blobs.put(now.description)
    if next(_named(run), None) != now.digest:
        started = time.time_ns()
        value = {"kind": "scoring", "manifest": run.identity, "scorer": now.digest, "harness": __version__}
        if own is not None:
            value[BENCHMARK_FILE] = run.blobs.put(own.source)
        run.write_observed(platform.node() or "unknown", started, {**value, "started_ns": str(started)})


def current(run: RunFolder) -> Digest | None:
    """The scorer that a run is graded by: the latest that observed/ names, else summary.json's, else the only one."""
    names = chain(_named(run), _summarised(run), _only(run))
    return next((name for name in names if run.blobs.has(name)), None)


def read(run: RunFolder, name: Digest) -> Scorer:
    """The scorer of a name, by its description; raises StoreCorruptError."""
    with reading.corrupt(run.blobs.path(name)):
        return described(run.blobs.get(name))


def chosen(run: RunFolder, beginning: str) -> Digest:
    """The one scorer of the run whose name begins so; raises UsageError where there is none, or several."""
    known = {*_named(run), *_summarised(run), *_scored(run)}
    found = sorted(name for name in known if name.startswith(beginning) and run.blobs.has(name))
    if len(found) != 1:
        names = ", ".join(name[:12] for name in sorted(known)) or "none"
        what = f"{len(found)} scorers" if found else "no scorer"
        raise UsageError(f"The run has {what} whose name begins with {beginning!r}. It has: {names}.")
    return found[0]


def _named(run: RunFolder) -> Iterator[Digest]:
    """What observed/ names, the latest first."""
    found = list[tuple[int, str, Digest]]()
    for name in reading.json_names(run.layout.observed):
        path = run.layout.observed / f"{name}.json"
        with reading.corrupt(path):
            match read_object(path):
                case {"scorer": scorer_name, "started_ns": started}:
                    at = Fields({"started_ns": started}, "what was observed").nanoseconds("started_ns")
                    found.append((at, name, parse_digest(scorer_name)))
    return (scorer_name for _, _, scorer_name in sorted(found, reverse=True))


def _summarised(run: RunFolder) -> Iterator[Digest]:
    path = run.layout.root / "summary.json"
    if path.is_file():
        with reading.corrupt(path):
            yield parse_digest(read_object(path).get("scorer"))


def _scored(run: RunFolder) -> Iterator[Digest]:
    for name in reading.names(run.layout.scores):
        try:
            yield parse_digest(name)
        except CanonicalError as error:
            raise StoreCorruptError(f"{run.layout.scores / name} doesn't belong into a run folder.") from error


def _only(run: RunFolder) -> Iterator[Digest]:
    found = list(_scored(run))
    if len(found) == 1:
        yield from found
