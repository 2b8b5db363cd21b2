"""``harness data``: get, install and check a benchmark's data."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.cli.help import Group
from harness.cli.options import json_option
from harness.errors import EXIT_CHECK, EXIT_OK, UsageError
from harness.run.settings.datadir import data_dir

if TYPE_CHECKING:
    from harness.benchmarks.babyvision.data.installed import Installed, Place

# whether it can be read is for the command to say, with what to do
_FILE = click.Path(path_type=Path, readable=False)
_VARIABLES = ("BABYVISION_ZIP", "BABYVISION_PARQUET")


def _options(function: Callable[..., Any]) -> Callable[..., Any]:
    where = "Where data sets are.  [$HARNESS_DATA_DIR; default: the user's data folder]"
    function = json_option(function)
    return click.option("--data-dir", "folder", envvar="HARNESS_DATA_DIR", metavar="DIR", help=where)(function)


@click.group(
    cls=Group,
    examples={
        "From the authors' own place": "harness data fetch",
        "A file that you have already": "harness data add BabyVision.zip",
        "What is installed": "harness data status",
    },
)
def command() -> None:
    """Get, install and check BabyVision's data."""


@command.command(
    examples={
        "The authors' ZIP, by its SHA-256": "harness data fetch",
        "The parquet copy from a mirror": "harness data fetch --parquet --url https://mirror.example/babyvision.parquet",
    }
)
@click.option("--parquet", "as_parquet", is_flag=True, help="The parquet copy instead of the authors' ZIP.")
@click.option("--url", metavar="URL", help="A mirror of the same bytes.")
@_options
def fetch(*, as_parquet: bool, url: str | None, folder: str | None, as_json: bool) -> int:
    """Download the data, check it and install it."""
    from harness.benchmarks.babyvision.data import fetching

    kind: Any = "parquet" if as_parquet else "zip"
    return _show(fetching.fetch(_place(folder), kind, url, lambda line: click.echo(line, err=True)), as_json=as_json)


@command.command(examples={"A file of yours": "harness data add BabyVision.zip"})
@click.argument("file", required=False, type=_FILE)
@_options
def add(file: Path | None, *, folder: str | None, as_json: bool) -> int:
    """Check FILE, the authors' ZIP or the parquet, and install it.

    Without FILE: those that $BABYVISION_ZIP and $BABYVISION_PARQUET name.
    """
    from harness.benchmarks.babyvision.data import importing

    files = [file] if file else [Path(os.environ[name]) for name in _VARIABLES if os.environ.get(name)]
    if not files:
        raise UsageError("Which file? Name one, or set BABYVISION_ZIP or BABYVISION_PARQUET.")
    return _show([importing.add(_place(folder), path) for path in files][-1], as_json=as_json)


@command.command(
    examples={
        "All that is installed": "harness data check",
        "A file, without installing it": "harness data check BabyVision.zip",
    }
)
@click.argument("file", required=False, type=_FILE)
@_options
def check(file: Path | None, *, folder: str | None, as_json: bool) -> int:
    """Hash all that is installed again; or check FILE and install nothing.

    Exit status 5 where what is installed is damaged, 2 where FILE is not the data.
    """
    from harness.benchmarks.babyvision.data import checking, described

    place = _place(folder)
    if file:
        checked = checking.check_file(place, file)
        _print(described.file_facts(checked), described.file_lines(checked), as_json=as_json)
        return EXIT_OK
    installed = place.open()
    if installed is None:
        raise UsageError(_nothing(place))
    problems = checking.damage(installed)
    for problem in problems:
        click.echo(problem, err=True)
    whole = [] if problems else [f"{place.folder}: {len(installed.data.puzzles)} tasks and their images are whole"]
    _print({**described.installed_facts(installed), "problems": problems}, whole, as_json=as_json)
    return EXIT_CHECK if problems else EXIT_OK


@command.command(examples={"For a script": "harness data status --json"})
@_options
def status(*, folder: str | None, as_json: bool) -> int:
    """Show what is installed, and from which files it came."""
    place = _place(folder)
    installed = place.open()
    if installed is not None:
        return _show(installed, as_json=as_json)
    _print({"folder": str(place.folder), "tasks": 0}, [_nothing(place)], as_json=as_json)
    return EXIT_OK


def _place(folder: str | None) -> "Place":
    from harness.benchmarks.babyvision.data.installed import Place

    return Place.of(data_dir(folder, os.environ))


def _nothing(place: "Place") -> str:
    return f"No data is installed in {place.folder}. Run: harness data fetch, or: harness data add FILE"


def _show(installed: "Installed", *, as_json: bool) -> int:
    from harness.benchmarks.babyvision.data import described

    _print(described.installed_facts(installed), described.installed_lines(installed), as_json=as_json)
    return EXIT_OK


def _print(facts: Any, lines: Any, *, as_json: bool) -> None:
    for line in [json.dumps(facts, sort_keys=True)] if as_json else lines:
        click.echo(line)
