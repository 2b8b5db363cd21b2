"""``harness diff``: what changed between two runs, and whether it is more than chance."""

import json
import sys
from pathlib import Path

import click

from harness.cli.completing import Folder
from harness.cli.help import Command
from harness.cli.options import json_option
from harness.errors import EXIT_OK, UsageError


@click.command(
    cls=Command,
    examples={
        "A run and its replay": "harness diff twelve again",
        "Every rollout that differs, also with the same reward": "harness diff twelve again --all",
        "Two gradings of one run": "harness diff twelve twelve --scorer 1f0c --scorer 77ab",
    },
)
@click.argument("run_a", metavar="RUN_A", type=Folder())
@click.argument("run_b", metavar="RUN_B", type=Folder())
@click.option(
    "--scorer",
    "scorers",
    multiple=True,
    metavar="BEGINNING",
    help="How the name of a scorer begins: given once for both runs, twice for A and B.  [default: the runs' own]",
)
@click.option("--all", "every", is_flag=True, help="List every rollout that differs, also with the same reward.")
@json_option
def command(run_a: Path, run_b: Path, *, scorers: tuple[str, ...], every: bool, as_json: bool) -> int:
    """Compare RUN_A with RUN_B: settings, rewards, which rollouts changed and why, and a paired test.

    Compared are the tasks that both were asked; what is left out is counted. Runs that differ are no error: exit
    status 0.
    """
    if len(scorers) > 2:
        raise UsageError("--scorer is given once for both runs, or twice: first for RUN_A, then for RUN_B.")
    from harness.run.comparing import Side, compare
    from harness.run.rows import Looked

    names = scorers if len(scorers) == 2 else (scorers or (None,)) * 2
    a, b = (Looked.open(path, name) for path, name in zip((run_a, run_b), names, strict=True))
    first, second = Side.of(a), Side.of(b)
    found = compare(first, second).to_json()
    shown = {"a": a.about(first.rows.values()), "b": b.about(second.rows.values()), **found}
    if as_json:
        click.echo(json.dumps(shown, sort_keys=True))
        return EXIT_OK
    from harness.report.diff import render
    from harness.report.words import speakable, width

    speakable(sys.stdout)
    sys.stdout.writelines(f"{line}\n" for line in render(shown, width(sys.stdout), every=every))
    return EXIT_OK
