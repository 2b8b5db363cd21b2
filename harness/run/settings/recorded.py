"""The settings of a replay: what a person leaves open is as it was when the record was made."""

from collections.abc import Mapping
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

# Fields of each request that `capture_tokens` is; in the manifest they stand among the sampling.
CAPTURE: Final[Mapping[str, bool]] = {"logprobs": True, "return_token_ids": True}


def recorded(settings: Settings, manifest: Manifest, judge: JudgeSettings | None) -> Settings:
    """The settings with those of a recorded run for all that no flag and no settings file names.

    Its plan is taken whole: not where tasks are chosen anew. Raises UsageError for a value that the record contradicts.
    """
    found = {**_policy(manifest), **_bounds(manifest), **_judge(judge)}
    for name in ANSWERING:
        if chosen(settings, name) and settings[name] != found[name]:
            made = "without it" if found[name] is None else f"with {found[name]}"
            raise UsageError(
                f"{name} = {settings[name]} is given, and the record was made {made}: it has no answers for anything "
                "else. Leave it out."
            )
    found |= {"repeats": manifest.plan["repeats"], "demo": manifest.plan["demo"]}
    tasks = manifest.plan["tasks"]
    if isinstance(tasks, list) and not chosen(settings, "limit"):
        found["tasks"] = tuple(tasks)
    taken = {name: value for name, value in found.items() if not chosen(settings, name)}
    return Settings({**settings.values, **taken}, {**settings.origins, **dict.fromkeys(taken, "record")})


def _policy(manifest: Manifest) -> dict[str, Any]:
    sampling = manifest.sampling
    return {
        "policy_model": manifest.model,
        **{name: sampling.get(name) for name in SAMPLING},
        "max_tokens_field": "max_completion_tokens" if "max_completion_tokens" in sampling else "max_tokens",
        "capture_tokens": CAPTURE.items() <= sampling.items(),
        "opencode_model_id": manifest.prompts["opencode_model_id"],
    }


def _bounds(manifest: Manifest) -> dict[str, Any]:
    budgets, limits = manifest.budgets, manifest.limits
    return {
        **{name: budgets[name] for name in ("context", "max_output", "timeout", "max_calls")},
        "token_budget": budgets["max_tokens"],
        **{name: limits[name] for name in ("cpus", "pids")},
        **{f"{name}_mib": _mib(limits[name]) for name in ("memory", "workdir", "tmp")},
    }


def _mib(size: Any) -> int:
    return int(size) // MIB


def _judge(judge: JudgeSettings | None) -> dict[str, Any]:
    if judge is None:
        return {}
    return {f"judge_{name}": value for name, value in attrs.asdict(judge).items()}
