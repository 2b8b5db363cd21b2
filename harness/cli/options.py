"""Options of commands that take settings: one reader for flags, environment and files."""

import os
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, Final

import click

from harness.cli import completing
from harness.cli.help import Option
from harness.errors import UsageError
from harness.run.settings import values
from harness.run.settings.resolve import Settings, gym_pair, resolve
from harness.run.settings.table import SECTIONS, Setting

benchmark_option = click.option(
    "--benchmark",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The file of a benchmark of your own: its code.",
)
pairs_argument = click.argument("pairs", nargs=-1, metavar="[++NAME=VALUE]...", shell_complete=completing.pairs)
benchmark_argument = click.argument("benchmark", shell_complete=completing.benchmarks)
run_argument = click.argument("run", metavar="RUN", type=completing.Folder())
config_option = click.option(
    "--config", metavar="FILE", help="A TOML file with settings.", shell_complete=completing.files
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object on stdout; harness schema describes it."
)

# What stands for a value in the help, by how it is read; numbers go by their default's type.
METAVARS: Final[Mapping[Any, str]] = {
    values.count: "N",
    values.names: "IDS",
    values.path: "PATH",
    values.positive: "N",
    values.replay: "replay:PATH",
    values.seconds: "SECONDS",
    values.shard: "I/N",
    values.text: "TEXT",
    values.url: "URL",
}


def setting_options(names: Collection[str] | None = None, *, origins: bool = True) -> Callable[[Any], Any]:
    """An option for each setting, or for those of these names; ``origins``: the help shows variables and defaults."""

    def add(function: Any) -> Any:
        for title, section in reversed(list(SECTIONS.items())):
            for setting in reversed(section):
                if names is None or setting.name in names:
                    text = _help(setting) if origins else setting.help
                    function = click.option(
                        setting.option, setting.name, cls=Option, section=title, help=text, **_kind(setting)
                    )(function)
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


def _kind(setting: Setting) -> dict[str, Any]:
    """How click reads the option: every value stays text until `resolve` reads it."""
    if setting.is_flag:
        return {"is_flag": True, "default": None, "flag_value": "true"}
    more = {"shell_complete": completing.files} if setting.parse is values.path else {}
    return {"metavar": METAVARS.get(setting.parse, "TEXT" if isinstance(setting.default, str) else "N"), **more}


def _help(setting: Setting) -> str:
    shown = f"{setting.default:g}" if isinstance(setting.default, float) else setting.default
    default = "" if shown is None or setting.is_flag else f"  [default: {shown}]"
    env = f"  [${setting.env}]" if setting.env else ""
    return setting.help + env + default
