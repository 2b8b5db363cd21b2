"""``harness reproduce``: everything that an archive claims, done again from its record."""

import json
from pathlib import Path

import click

from harness.cli.help import Command
from harness.cli.options import benchmark_option, json_option
from harness.errors import EXIT_CHECK, EXIT_OK

_PATH = click.Path(path_type=Path)


@click.command(
    cls=Command,
    examples={
        "All of it again, by the harness that made it": "harness reproduce twelve.oci",
        "Years later, with the bundle that was kept": "harness reproduce twelve.oci --bundle harness.tar --to checked",
    },
)
@click.argument("archive", metavar="ARCHIVE", type=_PATH)
@click.option("--bundle", metavar="FILE", type=_PATH, help="A bundle with the harness that made the run.")
@click.option("--source", metavar="DIR", type=_PATH, help="Its source: it is built from there, of pins in the store.")
@click.option("--this-harness", "this", is_flag=True, help="Use this harness, whichever made the run.")
@click.option("--to", "folder", metavar="DIR", type=_PATH, help="Where results go.  [default: reproductions/NAME-ID8]")
@benchmark_option
@click.option("--jobs", type=click.IntRange(1, 1000), metavar="J", help="Sandboxes at a time.")
@json_option
def command(
    archive: Path,
    bundle: Path | None,
    source: Path | None,
    folder: Path | None,
    benchmark: Path | None,
    jobs: int | None,
    *,
    this: bool,
    as_json: bool,
) -> int:
    """Check ARCHIVE, score it again, and run all of it again from the recorded replies. No network is needed.

    It is done by the very harness that made the run: this one, or out of the Nix store; else out of a bundle, or built
    from its source. Every store path of it is hashed and held against the record. Scores and rollouts that are not the
    same end it with exit status 5 and the first difference.
    """
    from harness.report.reproduced import reproduced
    from harness.report.words import plain
    from harness.run.reproduce.finding import Means
    from harness.run.reproduce.reproducing import reproduce

    means = Means(bundle=bundle, source=source, this=this)
    done = reproduce(archive, folder, means, jobs, lambda line: click.echo(plain(line), err=True), benchmark)
    report = done.to_json()
    for line in reproduced(report):
        click.echo(line, err=True)
    if as_json:
        click.echo(json.dumps(report, sort_keys=True))
    return EXIT_OK if done.identical else EXIT_CHECK
