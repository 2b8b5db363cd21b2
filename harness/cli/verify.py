"""``harness verify``: re-hash a run folder and check every reference in it."""

import json
from pathlib import Path

import click

from harness.errors import EXIT_CHECK, EXIT_OK
from harness.store.runfolder import RunFolder
from harness.store.verify import verify


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("run", metavar="RUN", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def command(run: Path, *, as_json: bool) -> int:
    """Check RUN: every blob and record is what its digest says, every reference leads somewhere. Exit status 5 if not.

    Scores, the judge's calls and what was observed are read strictly, but have no digest to be held against.
    """
    folder = RunFolder.open(run)
    problems = verify(folder)
    for problem in problems:
        click.echo(problem, err=True)
    rollouts = sum(1 for _ in folder.dones()) if not problems else None
    if as_json:
        found = {"run": str(run), "manifest": folder.manifest.identity, "rollouts": rollouts, "problems": problems}
        click.echo(json.dumps(found, sort_keys=True))
    elif not problems:
        click.echo(f"{run}: {rollouts} rollouts; blobs, records and references are whole", err=True)
    return EXIT_CHECK if problems else EXIT_OK
