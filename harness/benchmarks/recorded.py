"""A benchmark as a run folder holds it: enough to grade with, without its data."""

from harness.benchmarks.babyvision.graded import GradedPuzzles
from harness.benchmarks.babyvision.names import NAMES
from harness.benchmarks.babyvision.puzzle import read_task_set
from harness.benchmarks.base import Graded
from harness.errors import CanonicalError, StoreCorruptError, UsageError


def recorded(name: str, task_set: bytes) -> Graded:
    """The benchmark called ``name``, with the task set that a run's manifest names by its digest.

    Raises UsageError for a benchmark that this version can't grade, StoreCorruptError for what is no task set of it.
    """
    if name not in NAMES:
        known = ", ".join(NAMES)
        raise UsageError(f"The run is of the benchmark {name!r}; this version of the harness can grade {known}.")
    try:
        return GradedPuzzles(name, read_task_set(task_set))
    except CanonicalError as error:
        raise StoreCorruptError(f"The run's task set is none of {name}: {error}") from error
