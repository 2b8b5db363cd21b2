"""``harness gc``: what killed processes left behind, and taking it away."""

import json
import math
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.cli.completing import Folder
from harness.cli.help import Command
from harness.cli.options import json_option
from harness.errors import EXIT_OK

if TYPE_CHECKING:
    from harness.run.collecting import Found
    from harness.store.leftovers import Leftover

HOUR = 3600.0


def _finite(_context: click.Context, _parameter: click.Parameter, hours: float) -> float:
    """No age at all is below NaN, and every one is below infinity."""
    if not math.isfinite(hours):
        raise click.BadParameter(f"{hours} is no number of hours.")
    return hours


@click.command(
    cls=Command,
    examples={
        "What is left over in a run": "harness gc twelve",
        "Take away what is older than a day": "harness gc twelve --delete",
        "What is left over on this machine": "harness gc",
    },
)
@click.argument("runs", metavar="[RUN]...", nargs=-1, type=Folder())
@click.option("--delete", is_flag=True, help="Do it; without this it is only said what would be done.")
@click.option(
    "--older-than",
    "hours",
    type=click.FloatRange(min=0),
    callback=_finite,
    default=24.0,
    show_default=True,
    metavar="HOURS",
    help="Leave what is younger: somebody may be just about to use it.",
)
@click.option("--old-scores", is_flag=True, help="Also the scores of scorers that no longer grade the run.")
@json_option
def command(runs: tuple[Path, ...], *, delete: bool, hours: float, old_scores: bool, as_json: bool) -> int:
    """Find what killed processes left in each RUN: temporary files, and blobs that nothing names.

    Without a RUN: what they left on this machine, and copies of source trees that nix/setup.sh no longer uses.
    Attempts, what counts, the judge's calls and what was observed are never touched. A run on which somebody works is
    refused, exit status 1; so is one that has links in it or a record that can't be read, exit status 5.
    """
    before = time.time() - hours * HOUR
    found, take = _runs(runs, before, old_scores=old_scores) if runs else _account(before)
    gone = take() if delete else found.leftovers
    if as_json:
        click.echo(json.dumps(_facts(found, gone, delete=delete), sort_keys=True))
    else:
        _say(found, gone, delete=delete)
    return EXIT_OK


Take = Callable[[], "Sequence[Leftover]"]


def _runs(paths: Sequence[Path], before: float, *, old_scores: bool) -> "tuple[Found, Take]":
    """Of several runs together; nothing goes where one of them is refused."""
    from harness.run.collecting import Found, of_run, remove_of_run
    from harness.store.runfolder import RunFolder

    runs = [RunFolder.open(path) for path in paths]
    each = [of_run(run, before, old_scores=old_scores) for run in runs]
    whole = Found(
        tuple(dict.fromkeys(one for found in each for one in found.leftovers)),  # runs may stand beside each other
        tuple(dict.fromkeys(note for found in each for note in found.notes)),
    )
    return whole, lambda: [
        one for run, found in zip(runs, each, strict=True) for one in remove_of_run(run, found, before)
    ]


def _account(before: float) -> "tuple[Found, Take]":
    from harness.run.collecting import of_account, remove_of_account

    env = dict(os.environ)
    found = of_account(env, Path.home(), before)
    return found, lambda: remove_of_account(found, env, before)


def _facts(found: "Found", gone: "Sequence[Leftover]", *, delete: bool) -> dict[str, Any]:
    return {
        "deleted": delete,
        "bytes": sum(one.size for one in gone),
        "leftovers": [{"path": str(one.path), "kind": one.kind, "bytes": one.size} for one in gone],
        "notes": list(found.notes),
    }


def _say(found: "Found", gone: "Sequence[Leftover]", *, delete: bool) -> None:
    from harness.report.words import plain

    for note in found.notes:
        click.echo(plain(f"note: {note}"), err=True)
    for one in gone:
        click.echo(plain(f"{one.size:>14,} bytes  {one.kind}  {one.path}"))
    total = f"{len(gone)} leftovers, {sum(one.size for one in gone):,} bytes"
    click.echo(
        f"{total}: {'deleted' if delete else 'to delete them, add --delete'}" if gone else "nothing is left over"
    )
