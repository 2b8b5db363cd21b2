"""Options of commands that take settings: one reader for flags, environment and files."""

import os
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

import click

from harness.errors import UsageError
from harness.run.settings.resolve import Settings, gym_pair, resolve
from harness.run.settings.table import SETTINGS, Setting

pairs_argument = click.argument("pairs", nargs=-1, metavar="[++NAME=VALUE]...")
config_option = click.option("--config", metavar="FILE", help="A TOML file with settings.")


def setting_options(names: Collection[str] | None = None, *, origins: bool = True) -> Callable[[Any], Any]:
    """An option for each setting, or for those of these names; ``origins``: the help shows variables and defaults."""

    def add(function: Any) -> Any:
        for setting in reversed(SETTINGS):
            if names is None or setting.name in names:
                # every value stays text until settings.resolve reads it
                kind: dict[str, Any] = (
                    {"is_flag": True, "default": None, "flag_value": "true"} if setting.is_flag else {}
                )
                text = _help(setting) if origins else setting.help
                function = click.option(setting.option, setting.name, help=text, **kind)(function)
        return function

    return add


def settings(pairs: tuple[str, ...], config: str | None, options: Mapping[str, str | None]) -> Settings:
    """The settings of a command line; UsageError for what is wrong or given twice."""
    flags, file = texts(pairs, config, options)
    return resolve(flags, os.environ, file)


def texts(
    pairs: tuple[str, ...], config: str | None, options: Mapping[str, str | None]
) -> tuple[dict[str, str], dict[str, str]]:
    """What flags and file say, as text by name; UsageError for what is given twice, or a file that can't be read."""
    flags = {name: value for name, value in options.items() if value is not None}
    for pair in pairs:
        name, value = gym_pair(pair)
        if flags.setdefault(name, value) != value:
            raise UsageError(f"The setting {name} is given twice, with different values.")
    return flags, _file(config) if config else {}


def _file(path: str) -> dict[str, str]:
    from harness.run.settings.file import read_file  # few commands are given one

    return read_file(Path(path))


def _help(setting: Setting) -> str:
    default = "" if setting.default is None or setting.is_flag else f"  [default: {setting.default}]"
    env = f"  [${setting.env}]" if setting.env else ""
    return setting.help + env + default
