"""The benchmarks over BabyVision's rows."""

from typing import Final

NAMES: Final = ("babyvision", "babyvision-question-only")
