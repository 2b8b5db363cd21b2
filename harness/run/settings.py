"""Every setting of a run: its name, where a value may come from, and its default."""

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import attrs

from harness.errors import UnknownNameError, UsageError
from harness.run.values import boolean, count, fraction, names, positive, seconds, shard, text, url


@attrs.frozen
class Setting:
    """One setting. ``parse`` takes text and raises ValueError with a reason; ``aliases`` are NeMo Gym's names."""

    name: str
    parse: Callable[[str], Any]
    default: Any
    help: str
    env: str | None = None
    aliases: tuple[str, ...] = ()
    is_flag: bool = False

    @property
    def option(self) -> str:
        return "--" + self.name.replace("_", "-")


# The defaults of time, judge and limits are the anchor's (NeMo Gym's visual_coding_opencode).
SETTINGS: tuple[Setting, ...] = (
    Setting("policy_base_url", url, None, "The policy's OpenAI-compatible endpoint.", env="POLICY_BASE_URL"),
    Setting("policy_model", text, None, "The policy's model name.", env="POLICY_MODEL", aliases=("policy_model_name",)),
    Setting("policy_api_key_file", text, None, "A 0600 file that holds the policy's key (or POLICY_API_KEY)."),
    Setting(
        "judge_base_url",
        url,
        None,
        "The judge's OpenAI-compatible endpoint.",
        env="JUDGE_BASE_URL",
        aliases=("visual_coding_opencode_judge_base_url",),
    ),
    Setting(
        "judge_model",
        text,
        "gpt-4o-mini",
        "The judge's model name.",
        env="JUDGE_MODEL",
        aliases=("visual_coding_opencode_judge_model_name",),
    ),
    Setting("judge_api_key_file", text, None, "A 0600 file that holds the judge's key (or JUDGE_API_KEY)."),
    Setting("demo", boolean, False, "Demo puzzles; policy and judge are scripted unless you name yours.", is_flag=True),
    Setting("demo_seed", count, 1, "Seed of the demo puzzles."),
    Setting("limit", positive, None, "Only the first N tasks."),
    Setting("tasks", names, None, "Only these task ids, separated by commas."),
    Setting("repeats", positive, 1, "Rollouts per task."),
    Setting("jobs", positive, 1, "Sandboxes at a time."),
    Setting("shard", shard, None, "Only shard I of N, as I/N with I from 0; tasks are dealt by a stable hash."),
    Setting("timeout", seconds, 1800.0, "Seconds for one attempt."),
    Setting(
        "max_attempts", positive, 3, "Attempts at a task that fails for reasons outside its sandbox, over all calls."
    ),
    Setting("context", positive, None, "The policy's context length in tokens; else from its /v1/models."),
    Setting("max_output", positive, None, "The most tokens of one answer; else what the context leaves."),
    Setting("temperature", fraction, None, "Sampling temperature; left out unless set."),
    Setting("top_p", fraction, None, "Nucleus sampling; left out unless set."),
    Setting("opencode_model_id", text, "vlm", "The model id that OpenCode sees: it chooses the system prompt."),
    Setting("stall", seconds, 600.0, "Seconds of silence after which a time-out is the endpoint's fault."),
    Setting("first_call", seconds, 120.0, "Seconds within which OpenCode must make its first model call."),
    Setting("require_limits", boolean, False, "Refuse a machine that can't enforce every limit.", is_flag=True),
)
BY_NAME: Mapping[str, Setting] = {s.name: s for s in SETTINGS} | {a: s for s in SETTINGS for a in s.aliases}


@attrs.frozen
class Settings:
    """Values by name, and where each came from: ``flag``, ``environment``, ``file`` or ``default``."""

    values: Mapping[str, Any]
    origins: Mapping[str, str]

    def __getitem__(self, name: str) -> Any:
        return self.values[name]


def resolve(flags: Mapping[str, str], env: Mapping[str, str], file: Mapping[str, str]) -> Settings:
    """Flags over environment over file over defaults. Names may be Gym's; UsageError on a bad name or value."""
    layers = (
        ("flag", _canonical(flags)),
        ("environment", {s.name: env[s.env] for s in SETTINGS if s.env and env.get(s.env)}),
        ("file", _canonical(file)),
    )
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for setting in SETTINGS:
        origin, raw = next(
            ((o, layer[setting.name]) for o, layer in layers if setting.name in layer), ("default", None)
        )
        origins[setting.name] = origin
        values[setting.name] = setting.default if raw is None else _parse(setting, raw, origin)
    return Settings(values, origins)


def chosen(settings: Settings, name: str) -> bool:
    """Whether a flag or a settings file names the value."""
    return settings.origins[name] in {"flag", "file"}


def read_file(path: Path) -> dict[str, str]:
    """The settings of a TOML file as text by name; UsageError if it can't be read or holds tables."""
    try:
        table = tomllib.loads(path.read_text())
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"The settings file {path} can't be read: {error}") from None
    for name, value in table.items():
        if isinstance(value, (dict, list)):
            raise UsageError(f"{path}: {name} must be a plain value, not a table or a list")
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in table.items()}


def gym_pair(argument: str) -> tuple[str, str]:
    """Split NeMo Gym's ``++name=value``; UsageError if it isn't of that form."""
    name, equals, value = argument.removeprefix("++").partition("=")
    if not argument.startswith("++") or not equals:
        raise UsageError(f"Unexpected argument {argument!r}. Settings are given as --name VALUE or ++name=value.")
    return name, value


def _canonical(given: Mapping[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in given.items():
        if name not in BY_NAME:
            raise UnknownNameError("setting", name, BY_NAME)
        canonical = BY_NAME[name].name
        if canonical in found and found[canonical] != value:
            raise UsageError(f"The setting {canonical} is given twice, as {found[canonical]!r} and {value!r}.")
        found[canonical] = value
    return found


def _parse(setting: Setting, raw: str, origin: str) -> Any:
    try:
        return setting.parse(raw)
    except ValueError as error:
        where = f"${setting.env}" if origin == "environment" else setting.name
        # an address may hold a password: it is never shown
        value = where if setting.parse is url else f"{where} = {raw!r}"
        raise UsageError(f"{value}: {error}") from None
