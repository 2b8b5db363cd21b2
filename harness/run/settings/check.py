"""What can be refused before anything is started: no namespace, no endpoint, no folder is touched."""

from pathlib import Path
from typing import Final

from harness.benchmarks.babyvision.benchmark import INSTRUCTIONS
from harness.benchmarks.own.definition import Benchmark
from harness.benchmarks.own.loading import is_file, load
from harness.errors import UnknownNameError, UsageError
from harness.run.settings.resolve import Settings, chosen
from harness.run.settings.table import SAMPLING

# Settings that mean nothing for the demo's own endpoints, and what a run without the demo can't do without.
OF_ENDPOINT: Final = {
    "policy": ("policy_model", "policy_api_key_file", "max_tokens_field", "capture_tokens", *SAMPLING),
    "judge": ("judge_model", "judge_api_key_file", "send_openai_key"),
}
NEEDED: Final = ("policy_base_url", "policy_model", "judge_base_url")
# What a record has no use for.
OF_ADDRESS: Final = ("policy_base_url", "policy_model", "policy_api_key_file")
OF_JUDGE: Final = ("judge_base_url", *OF_ENDPOINT["judge"])
OF_DEMO: Final = ("demo_seed", "demo_puzzles")
OF_DATA: Final = ("babyvision_zip", "babyvision_parquet", "data_dir")
LONGEST: Final = 24 * 3600  # seconds; after that the runtime itself ends a sandbox


def before_namespace(benchmark: str, settings: Settings) -> None:
    """Refuse an unknown benchmark and settings that can't be run together; raises UsageError.

    One's own benchmark is read from its file.
    """
    own = load(Path(benchmark)).benchmark if is_file(benchmark) else None
    if own is not None:
        _own(benchmark, own, settings)
    elif benchmark not in INSTRUCTIONS:
        raise UnknownNameError("benchmark", benchmark, INSTRUCTIONS)
    elif settings["instruction"] is not None and not INSTRUCTIONS[benchmark]:
        raise UsageError(f"{benchmark} puts only the question: an instruction is for babyvision.")
    if settings["policy"] is not None:
        _replay(settings)
    if settings["demo"]:
        _demo(settings)
    else:
        _real(settings, judged=own is None or own.grade is None)
    context, output = settings["context"], settings["max_output"]
    if context and output and output >= context:
        raise UsageError(f"max_output = {output} leaves nothing of context = {context} for a question.")
    if settings["timeout"] > LONGEST:
        raise UsageError(f"timeout = {settings['timeout']:g}: at most {LONGEST} seconds are allowed for one attempt.")


def _own(file: str, own: Benchmark, settings: Settings) -> None:
    if given := [name for name in (*OF_DEMO, *OF_DATA) if chosen(settings, name)]:
        raise UsageError(f"{given[0]} is given, and {file} has tasks of its own. Leave it out.")
    if own.grade is not None and (given := [name for name in OF_JUDGE if chosen(settings, name)]):
        raise UsageError(f"{given[0]} is given, and {file} is graded by a rule of its own: no judge is asked.")
    if settings["instruction"] is not None and not own.instruction:
        raise UsageError(f"{file} puts only the question: there is no instruction to take the place of.")
    scripted = settings["demo"] and settings["policy"] is None and not chosen(settings, "policy_base_url")
    if scripted and own.demo is None:
        raise UsageError(
            f"{file} says not what a scripted model answers: give its Benchmark a demo, or name an endpoint: "
            "--policy-base-url"
        )


def _replay(settings: Settings) -> None:
    if given := [name for name in OF_ADDRESS if chosen(settings, name)]:
        raise UsageError(f"{given[0]} is given with policy = replay:..., and a record has no endpoint. Leave one out.")
    given = [name for name in OF_ENDPOINT["judge"] if chosen(settings, name)]
    if given and not chosen(settings, "judge_base_url"):
        raise UsageError(f"{given[0]} is given without judge_base_url, and the judge's replies are then the record's.")
    if settings["run"] is not None and Path(settings["run"]).resolve() == settings["policy"].resolve():
        raise UsageError(f"run = {settings['run']} is the record that answers. Name another folder for the replay.")
    if not settings["policy"].exists():
        raise UsageError(f"policy = replay:{settings['policy']}: there is no such run folder or archive.")


def _demo(settings: Settings) -> None:
    for role, names in OF_ENDPOINT.items():
        if settings["policy"] is not None:  # which takes the place of the demo's own two
            continue
        given = [name for name in names if chosen(settings, name)]
        if given and not chosen(settings, f"{role}_base_url"):
            raise UsageError(f"{given[0]} is given without {role}_base_url, and --demo then has a {role} of its own.")
    if given := [name for name in OF_DATA if chosen(settings, name)]:
        raise UsageError(f"{given[0]} is given with --demo, which has puzzles of its own. Leave one of them out.")


def _real(settings: Settings, *, judged: bool) -> None:
    if given := [name for name in OF_DEMO if chosen(settings, name)]:
        raise UsageError(f"{given[0]} is given without --demo.")
    if settings["policy"] is not None:
        return
    for name in NEEDED if judged else NEEDED[:2]:
        if settings[name] is None:
            option = "--" + name.replace("_", "-")
            raise UsageError(f"{name} is missing. Set ${name.upper()} or {option}, or use --demo.")
