"""What can be refused before anything is started: no namespace, no endpoint, no folder is touched."""

from harness.benchmarks.babyvision.benchmark import INSTRUCTIONS
from harness.errors import UnknownNameError, UsageError
from harness.run.settings import Settings


def before_namespace(benchmark: str, settings: Settings) -> None:
    """Refuse an unknown benchmark and settings that can't be run together; raises UsageError."""
    if benchmark not in INSTRUCTIONS:
        raise UnknownNameError("benchmark", benchmark, INSTRUCTIONS)
    if not settings["demo"]:
        raise UsageError("This version has no data set but the demo's puzzles: add --demo.")
    backstop = 24 * 3600
    if settings["timeout"] > backstop:
        raise UsageError(f"timeout = {settings['timeout']:g}: at most {backstop} seconds are allowed for one attempt.")
