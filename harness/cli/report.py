"""``harness report``: a run as a page for a browser."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.cli.help import Command
from harness.cli.options import json_option, run_argument

if TYPE_CHECKING:
    from collections.abc import Mapping


@click.command(
    cls=Command,
    examples={
        "One file, twelve/report.html": "harness report twelve",
        "Somewhere else": "harness report twelve --out twelve.html",
        "A run of thousands, as a folder": "harness report twelve --assets pages",
    },
)
@run_argument
@click.option("--out", metavar="FILE", type=click.Path(path_type=Path), help="The page.  [default: RUN/report.html]")
@click.option("--assets", metavar="DIR", type=click.Path(path_type=Path), help="A folder of pages and images instead.")
@click.option("--scorer", metavar="BEGINNING", help="How a scorer's name begins.  [default: the run's own]")
@click.option("--force", is_flag=True, help="Replace another file, or the report that is in DIR.")
@json_option
def command(
    run: Path, *, out: Path | None, assets: Path | None, scorer: str | None, force: bool, as_json: bool
) -> None:
    """Write RUN as one HTML file: its figures, and each rollout as a conversation with its pictures.

    It opens from the disk, and asks for nothing from the network. It holds the puzzles and their right answers.
    For thousands of rollouts, --assets writes a folder: index.html, pages of a hundred rollouts, images as files.
    """
    from harness.report.html import making
    from harness.report.progress import following, shown
    from harness.report.words import counted

    with shown(sys.stderr) as show:
        wanted = making.Wanted(out=out, assets=assets, scorer=scorer, replace=force)
        written: Mapping[str, Any] = making.make(run, wanted, following(show))
    held = f"{counted(written['rollouts'], 'rollout')}, {counted(written['images'], 'image')}"
    click.echo(f"{written['path']}: {held}", err=True)
    if as_json:
        click.echo(json.dumps(written, sort_keys=True))
