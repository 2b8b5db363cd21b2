"""The settings of a replay: what a person leaves open is as it was when the record was made."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import attrs

from harness.errors import UsageError
from harness.grading.prompt import JudgeSettings
from harness.run.settings.resolve import Settings, chosen
from harness.run.settings.table import SAMPLING
from harness.sandbox.values import MIB
from harness.store.manifest import Manifest

# What no request of a sandbox tells: a record has no other answers for another value.
ANSWERING: Final = (*SAMPLING, "max_tokens_field", "capture_tokens")

# Names and types of what the manifest says of the bounds.
_BUDGETS: Final[Mapping[str, Any]] = {
    "context": int,
    "max_output": int,
    "timeout": int | float,
    "max_calls": int | None,
    "max_tokens": int | None,
}
_LIMITS: Final[Mapping[str, Any]] = {"cpus": int | float, "pids": int, "memory": int, "workdir": int, "tmp": int}

# Fields of each request that `capture_tokens` is; in the manifest they stand among the sampling.
CAPTURE: Final[Mapping[str, bool]] = {"logprobs": True, "return_token_ids": True}


def recorded(
    settings: Settings, manifest: Manifest, judge: JudgeSettings | None, place: Path = Path("manifest.json")
) -> Settings:
    """The settings with those of a recorded run for all that no flag and no settings file names.

    Its plan is taken whole: not where tasks are chosen anew. Raises UsageError for a value that the record contradicts,
    and where the manifest, which stands at ``place``, lacks one.
    """
    found = {**_policy(manifest, place), **_bounds(manifest, place), **_judge(judge)}
    for name in ANSWERING:
        if chosen(settings, name) and settings[name] != found[name]:
            made = "without it" if found[name] is None else f"with {found[name]}"
            raise UsageError(
                f"{name} = {settings[name]} is given, and the record was made {made}: it has no answers for anything "
                "else. Leave it out."
            )
    plan = _part(place, "plan", manifest.plan, {"repeats": int, "demo": bool, "tasks": list | None})
    found |= {"repeats": plan["repeats"], "demo": plan["demo"]}
    tasks = plan["tasks"]
    if isinstance(tasks, list) and not chosen(settings, "limit"):
        found["tasks"] = tuple(tasks)
    taken = {name: value for name, value in found.items() if not chosen(settings, name)}
    return Settings({**settings.values, **taken}, {**settings.origins, **dict.fromkeys(taken, "record")})


def _policy(manifest: Manifest, place: Path) -> dict[str, Any]:
    sampling = manifest.sampling
    return {
        "policy_model": manifest.model,
        **{name: sampling.get(name) for name in SAMPLING},
        "max_tokens_field": "max_completion_tokens" if "max_completion_tokens" in sampling else "max_tokens",
        "capture_tokens": CAPTURE.items() <= sampling.items(),
        **_part(place, "prompts", manifest.prompts, {"opencode_model_id": str}),
    }


def _bounds(manifest: Manifest, place: Path) -> dict[str, Any]:
    budgets = _part(place, "budgets", manifest.budgets, _BUDGETS)
    limits = _part(place, "limits", manifest.limits, _LIMITS)
    return {
        **{name: value for name, value in budgets.items() if name != "max_tokens"},
        "token_budget": budgets["max_tokens"],
        **{name: limits[name] for name in ("cpus", "pids")},
        **{f"{name}_mib": limits[name] // MIB for name in ("memory", "workdir", "tmp")},
    }


def _part(place: Path, part: str, found: Mapping[str, Any], kinds: Mapping[str, Any]) -> dict[str, Any]:
    """The values of these names and types of one part of a manifest; raises UsageError where one is missing."""
    for name, kind in kinds.items():
        if name not in found or not isinstance(found[name], kind):
            raise UsageError(
                f"{place} has no {part}.{name} that this version of the harness reads, so what was recorded there "
                "can't be replayed. Was it written by another version?"
            )
    return {name: found[name] for name in kinds}


def _judge(judge: JudgeSettings | None) -> dict[str, Any]:
    if judge is None:
        return {}
    return {f"judge_{name}": value for name, value in attrs.asdict(judge).items()}
