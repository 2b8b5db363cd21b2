"""The settings of a run: flags over environment over file over the defaults of `harness.run.settings.table`."""

from collections.abc import Collection, Mapping
from typing import Any, Final

import attrs

from harness.errors import UsageError
from harness.run.settings.table import SETTINGS, Setting, setting_of
from harness.run.settings.values import url

# Gym writes a file of rollouts where we have a folder.
GYMS_OUTPUT: Final = "output_jsonl_fpath"


SHOWN = 80  # characters of a wrong value that are shown


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


def gym_pair(argument: str) -> tuple[str, str]:
    """Split NeMo Gym's ``++name=value``; UsageError if it isn't of that form."""
    name, equals, value = argument.removeprefix("++").partition("=")
    if not argument.startswith("++") or not equals:
        # What is behind the sign may be a key.
        shown = argument.partition("=")[0] + equals
        raise UsageError(f"Unexpected argument {shown!r}. Settings are given as --name VALUE or ++name=value.")
    return name, value


def arguments(flags: Mapping[str, str], file: Mapping[str, str], without: Collection[str] = ()) -> list[str]:
    """Flags and file as the arguments of one command line, which `resolve` reads as it reads both; but not ``without``.

    Both count as chosen there, as they do here.
    """
    merged = {**_canonical(file), **_canonical(flags)}
    return [
        f"++{name}={value}" if setting_of(name).is_flag else f"{setting_of(name).option}={value}"
        for name, value in merged.items()
        if name not in without
    ]


def _canonical(given: Mapping[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in given.items():
        canonical = setting_of(name).name
        if name == GYMS_OUTPUT:
            value = value.removesuffix(".jsonl")
        if found.setdefault(canonical, value) != value:
            raise UsageError(f"The setting {canonical} is given twice, with different values.")
    return found


def _parse(setting: Setting, raw: str, origin: str) -> Any:
    try:
        return setting.parse(raw)
    except ValueError as error:
        where = f"${setting.env}" if origin == "environment" else setting.name
        # an address may hold a password: it is never shown
        shown = raw if len(raw) <= SHOWN else f"{raw[:SHOWN]}..."
        value = where if setting.parse is url else f"{where} = {shown!r}"
        raise UsageError(f"{value}: {error}") from None
