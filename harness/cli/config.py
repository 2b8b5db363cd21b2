"""``harness config``: each setting, its value, and where it came from."""

import json
import os
import sys
from typing import TYPE_CHECKING

import attrs
import click

from harness.cli import completing
from harness.cli.help import Command
from harness.cli.options import config_option, json_option, pairs_argument, setting_options, settings
from harness.errors import EXIT_OK, UnknownNameError, UsageError
from harness.run.settings.table import SECTIONS, setting_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harness.run.settings.sources import KeySource, Sourced


@click.command(
    cls=Command,
    examples={
        "What holds now": "harness config",
        "What a run would be told, and whether it is refused": "harness config babyvision --demo --jobs 2",
        "Only what is no default": "harness config babyvision --config settings.toml --changed",
        "One section": "harness config --section sampling",
    },
)
@click.argument("benchmark", required=False, shell_complete=completing.benchmarks)
@pairs_argument
@config_option
@click.option("--changed", is_flag=True, help="Only what a flag, a pair, the environment or a file says.")
@click.option(
    "--section", metavar="NAME", shell_complete=completing.sections, help="Only this section of eval's options."
)
@json_option
@setting_options()
def command(
    benchmark: str | None,
    pairs: tuple[str, ...],
    config: str | None,
    *,
    changed: bool,
    section: str | None,
    as_json: bool,
    **flags: str | None,
) -> int:
    """Show each setting of harness eval, its value and where it came from, with the options that you mean to give.

    An option or a ++pair goes over the environment, that over the settings file, that over the default. With BENCHMARK
    it is also said whether eval would refuse them (exit status 2); a file of your own is run for that, without making
    its tasks. Of keys only their source is shown.
    """
    if benchmark is not None and benchmark.startswith("++"):
        pairs, benchmark = (benchmark, *pairs), None
    found = settings(pairs, config, flags)
    from harness.run.settings import check, sources

    named = {setting_of(pair.removeprefix("++").partition("=")[0]).name for pair in pairs}
    wanted = SECTIONS if section is None else (_section(section),)
    chosen = [
        one
        for one in sources.sourced(found, named, config)
        if not (changed and one.origin == "default") and one.section in wanted
    ]
    keys = list(sources.keys(found, os.environ))
    problem = None
    if benchmark is not None:
        try:
            check.before_namespace(benchmark, found)
        except UsageError as error:
            problem = error
    if as_json:
        shown = {
            "benchmark": benchmark,
            "problem": None if problem is None else str(problem),
            "settings": [attrs.asdict(one) for one in chosen],
            "keys": [one.to_json() for one in keys],
        }
        click.echo(json.dumps(shown, sort_keys=True))
    else:
        _say(chosen, keys)
    if problem is not None:
        raise problem
    return EXIT_OK


def _section(name: str) -> str:
    """The section of a name in whatever case; raises UnknownNameError."""
    known = {section.lower(): section for section in SECTIONS}
    if name.lower() not in known:
        raise UnknownNameError("section", name, known)
    return known[name.lower()]


def _say(settings: "Iterable[Sourced]", keys: "Iterable[KeySource]") -> None:
    from harness.report.columns import columns
    from harness.report.words import speakable, width

    rows = [
        (one.section, one.name, "" if one.value is None else _text(one.value), one.source or one.origin)
        for one in settings
    ]
    rows += [("Keys", f"{key.role}'s key", "set" if key.source else "not set", key.source or "") for key in keys]
    speakable(sys.stdout)
    for line in columns(("section", "setting", "value", "from"), rows, width(sys.stdout)):
        click.echo(line)


def _text(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else json.dumps(value).strip('"')
