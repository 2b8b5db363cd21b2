"""The settings of a run: flags over environment over file over the defaults of the table in `known`."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import attrs

from harness.errors import UnknownNameError, UsageError
from harness.run.known import BY_NAME, SETTINGS, Setting
from harness.run.values import url

# Gym writes a file of rollouts where we have a folder.
GYMS_OUTPUT: Final = "output_jsonl_fpath"


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
        if name == GYMS_OUTPUT:
            value = value.removesuffix(".jsonl")
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
