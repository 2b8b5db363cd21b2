"""``harness benchmarks``: what can be run, and whether its data is here."""

import json
import os
import sys
from typing import TYPE_CHECKING

import click

from harness.cli.completing import Folder
from harness.cli.help import Command
from harness.cli.options import json_option
from harness.errors import EXIT_OK

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from harness.run.offered import Offered


@click.command(
    cls=Command,
    examples={
        "What there is": "harness benchmarks",
        "Run the first one's demo": "harness eval babyvision --demo --limit 1 --run one",
    },
)
@click.option(
    "--data-dir",
    "folder",
    envvar="HARNESS_DATA_DIR",
    metavar="DIR",
    type=Folder(),
    help="Where data sets are.  [$HARNESS_DATA_DIR; default: the user's data folder]",
)
@json_option
def command(folder: str | None, *, as_json: bool) -> int:
    """List the benchmarks: what each asks, how it is graded, and whether its data is on this machine.

    A benchmark of your own is a Python file: harness eval FILE.py (docs/extending.md).
    """
    from harness.run.offered import offered
    from harness.run.settings.datadir import data_dir

    found = offered(data_dir(folder, os.environ))
    if as_json:
        click.echo(json.dumps({"benchmarks": [one.to_json() for one in found]}, sort_keys=True))
        return EXIT_OK
    from harness.report.words import plain, speakable

    speakable(sys.stdout)
    for line in _lines(found):
        click.echo(plain(line))
    return EXIT_OK


def _lines(benchmarks: "Iterable[Offered]") -> "Iterator[str]":
    for one in benchmarks:
        yield one.name
        yield f"  asks     {one.asked}"
        yield f"  graded   {one.graded}"
        yield f"  tasks    {one.tasks}; with --demo {one.demo_tasks} others, which need no data"
        data = one.data
        yield f"  data     {f'{data.tasks} tasks' if data.tasks else 'none'} in {data.folder}"
        if data.advice:
            yield f"  get it   {data.advice}"
