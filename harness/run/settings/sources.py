"""Each setting with its value and where it came from, for people and scripts; a key only as set or not."""

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from harness.run.settings.keys import variables
from harness.run.settings.resolve import Settings
from harness.run.settings.table import KEY_FILE, SECTIONS, Setting
from harness.run.settings.values import replay, shard
from harness.store.canonical import JSON


@attrs.frozen(kw_only=True)
class Sourced:
    """One setting. ``origin``: flag, pair, environment, file or default; ``source`` names it, None of a default."""

    section: str
    name: str
    value: JSON
    default: JSON
    origin: str
    source: str | None


@attrs.frozen(kw_only=True)
class KeySource:
    """The key of ``policy`` or ``judge``: whether there is one, and the variable or setting that gives it."""

    role: str
    source: str | None

    def to_json(self) -> dict[str, JSON]:
        return {"role": self.role, "set": self.source is not None, "source": self.source}


def sourced(settings: Settings, pairs: Collection[str], file: str | None) -> Iterator[Sourced]:
    """Every setting, in the order of their table; ``pairs`` are names that ``++NAME=VALUE`` gave."""
    for section, members in SECTIONS.items():
        for setting in members:
            origin = settings.origins[setting.name]
            if origin == "flag" and setting.name in pairs:
                origin = "pair"
            yield Sourced(
                section=section,
                name=setting.name,
                value=_shown(setting, settings[setting.name]),
                default=_shown(setting, setting.default),
                origin=origin,
                source=_source(setting, origin, file),
            )


def keys(settings: Settings, env: Mapping[str, str]) -> Iterator[KeySource]:
    """Where each endpoint's key would come from; no key is read."""
    for role, names in variables(settings).items():
        found = next((f"${name}" for name in names if env.get(name)), None)
        yield KeySource(role=role, source=found if settings[role + KEY_FILE] is None else role + KEY_FILE)


def _source(setting: Setting, origin: str, file: str | None) -> str | None:
    sources = {"flag": setting.option, "pair": f"++{setting.name}", "environment": f"${setting.env}", "file": file}
    return sources.get(origin)


def _shown(setting: Setting, value: Any) -> JSON:
    """The value as JSON, in the form in which it is given."""
    if value is None:
        return None
    if setting.name.endswith(KEY_FILE) and not Path(value).is_file():
        return "set; there is no such file"  # somebody may have given the key itself
    if setting.parse is replay:
        return f"replay:{value}"
    if setting.parse is shard:
        return "{}/{}".format(*value)
    return list(value) if isinstance(value, tuple) else value
