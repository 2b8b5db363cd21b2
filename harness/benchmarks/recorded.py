"""A benchmark as a run folder holds it: enough to grade with, without its data."""

from harness.benchmarks.babyvision.graded import GradedPuzzles
from harness.benchmarks.babyvision.names import NAMES
from harness.benchmarks.babyvision.puzzle import read_task_set
from harness.benchmarks.base import NAME, Graded
from harness.benchmarks.own import taskset
from harness.errors import CanonicalError, StoreCorruptError, UsageError


def recorded(name: str, task_set: bytes) -> Graded:
    """The benchmark called ``name``, with the task set that a run's manifest names by its digest.

    Of one's own benchmark the task set says all but its rule, which is in its file. Raises UsageError for a benchmark
    that this version can't grade, StoreCorruptError for what is no task set of it.
    """
    own = name not in NAMES
    if own and not (NAME.fullmatch(name) and taskset.is_task_set(task_set)):
        known = ", ".join(NAMES)
        raise UsageError(
            f"The run is of the benchmark {name!r}; this version of the harness can grade {known} and those of one's "
            "own file."
        )
    try:
        return taskset.read_task_set(name, task_set) if own else GradedPuzzles(name, read_task_set(task_set))
    except CanonicalError as error:
        raise StoreCorruptError(f"The run's task set is none of {name}: {error}") from error
