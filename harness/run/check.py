"""What can be refused before anything is started: no namespace, no endpoint, no folder is touched."""

from harness.benchmarks.babyvision.benchmark import INSTRUCTIONS
from harness.errors import UnknownNameError, UsageError
from harness.run.known import SAMPLING
from harness.run.settings import Settings, chosen

# Settings that mean nothing for the demo's own endpoints.
SETTINGS_OF = {
    "policy": ("policy_model", "policy_api_key_file", "max_tokens_field", *SAMPLING),
    "judge": ("judge_model", "judge_api_key_file"),
}


def before_namespace(benchmark: str, settings: Settings) -> None:
    """Refuse an unknown benchmark and settings that can't be run together; raises UsageError."""
    if benchmark not in INSTRUCTIONS:
        raise UnknownNameError("benchmark", benchmark, INSTRUCTIONS)
    if not settings["demo"]:
        raise UsageError("This version has no data set but the demo's puzzles: add --demo.")
    for role in ("policy", "judge"):
        given = [name for name in SETTINGS_OF[role] if chosen(settings, name)]
        if given and not chosen(settings, f"{role}_base_url"):
            raise UsageError(f"{given[0]} is given without {role}_base_url, and --demo then has a {role} of its own.")
    backstop = 24 * 3600
    if settings["timeout"] > backstop:
        raise UsageError(f"timeout = {settings['timeout']:g}: at most {backstop} seconds are allowed for one attempt.")
