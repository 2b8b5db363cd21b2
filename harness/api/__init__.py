"""The harness from Python: run a benchmark, read its results, check and carry them (docs/api.md).

What runs or checks is the command line in a process of its own, so both do the same. Reading needs no process.
"""

from harness.api.running import evaluate
from harness.api.runs import Run, open_run
from harness.api.settings import Settings
from harness.api.values import Interval, Rollout, Summary
from harness.benchmarks.own.definition import Benchmark, Task
from harness.errors import (
    CheckFailedError,
    HarnessError,
    HostUnfitError,
    StoreCorruptError,
    UnknownNameError,
    UsageError,
)
from harness.grading.extraction import boxed
from harness.grading.string_match import string_match

__all__ = [
    "Benchmark",
    "CheckFailedError",
    "HarnessError",
    "HostUnfitError",
    "Interval",
    "Rollout",
    "Run",
    "Settings",
    "StoreCorruptError",
    "Summary",
    "Task",
    "UnknownNameError",
    "UsageError",
    "boxed",
    "evaluate",
    "open_run",
    "string_match",
]
