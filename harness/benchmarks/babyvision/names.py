"""The benchmarks over BabyVision's rows."""

from collections.abc import Mapping
from typing import Final

TASKS: Final = 388  # rows of the data set

# What is asked under each name.
ASKED: Final[Mapping[str, str]] = {
    "babyvision": "picture puzzles that small children solve, with an instruction to look closely and to measure",
    "babyvision-question-only": "the same picture puzzles, the question alone",
}
NAMES: Final = tuple(ASKED)
