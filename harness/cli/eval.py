"""``harness eval``: run a benchmark, new or resumed."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import click

from harness.errors import UsageError
from harness.run.settings.file import read_file
from harness.run.settings.resolve import Settings, gym_pair, resolve
from harness.run.settings.table import SETTINGS, Setting


def _options(function: Any) -> Any:
    for setting in reversed(SETTINGS):
        # every value stays text until settings.resolve reads it: one reader for flags, environment and files
        kind: dict[str, Any] = {"is_flag": True, "default": None, "flag_value": "true"} if setting.is_flag else {}
        function = click.option(setting.option, setting.name, help=_help(setting), **kind)(function)
    return function


def _help(setting: Setting) -> str:
    default = "" if setting.default is None or setting.is_flag else f"  [default: {setting.default}]"
    env = f"  [${setting.env}]" if setting.env else ""
    return setting.help + env + default


@click.command(context_settings={"help_option_names": ["-h", "--help"], "ignore_unknown_options": False})
@click.argument("benchmark")
@click.argument("pairs", nargs=-1, metavar="[++NAME=VALUE]...")
@click.option("--config", metavar="FILE", help="A TOML file with settings.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout at the end.")
@_options
def command(
    benchmark: str,
    pairs: tuple[str, ...],
    config: str | None,
    *,
    as_json: bool,
    **flags: str | None,
) -> int:
    """Run BENCHMARK (babyvision or babyvision-question-only) and score it.

    \b
    Without keys, data or a network:
        harness eval babyvision --demo --limit 1 --run R
    Your endpoint on the demo's puzzles (its key in POLICY_API_KEY):
        harness eval babyvision --demo --policy-base-url URL --policy-model NAME --run R
    The data set (POLICY_BASE_URL, POLICY_MODEL, POLICY_API_KEY; JUDGE_BASE_URL, JUDGE_MODEL, JUDGE_API_KEY):
        harness eval babyvision --jobs 4 --run R
    """
    settings = _settings(pairs, config, {name: value for name, value in flags.items() if value is not None})
    from harness.run.settings import check

    check.before_namespace(benchmark, settings)
    from harness.sandbox import namespace

    if not namespace.inside():
        return namespace.enter([sys.executable, "-I", "-m", "harness.cli", *sys.argv[1:]], dict(os.environ))
    from harness.report.progress import shown
    from harness.report.table import render
    from harness.report.words import width
    from harness.run.evaluate import evaluate
    from harness.run.summary import exit_status

    with shown(sys.stderr) as show:
        summary = evaluate(benchmark, settings, show)
    click.echo(render(summary, width(sys.stderr)), err=True, nl=False)
    if as_json:
        click.echo(json.dumps(summary, sort_keys=True))
    return exit_status(summary)


def _settings(pairs: tuple[str, ...], config: str | None, flags: dict[str, str]) -> Settings:
    for pair in pairs:
        name, value = gym_pair(pair)
        if flags.setdefault(name, value) != value:
            raise UsageError(f"The setting {name} is given twice, with different values.")
    return resolve(flags, os.environ, read_file(Path(config)) if config else {})
