"""``harness report``: a run as a page for a browser."""

import json
from pathlib import Path

import click

from harness.cli.help import Command
from harness.cli.options import json_option, run_argument


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

    written = making.make(run, making.Wanted(out=out, assets=assets, scorer=scorer, replace=force))
    click.echo(f"{written['path']}: {written['rollouts']} rollouts, {written['images']} images", err=True)
    if as_json:
        click.echo(json.dumps(written, sort_keys=True))
