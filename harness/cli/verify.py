"""``harness verify``: re-hash a run folder and check every reference in it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
import click

from harness.cli.help import Command
from harness.cli.options import json_option, run_argument
from harness.errors import EXIT_CHECK, EXIT_OK, StoreCorruptError, UsageError
from harness.report.words import plain
from harness.store.runfolder import RunFolder
from harness.store.verify import check


@click.command(
    cls=Command,
    examples={
        "Every byte and every reference": "harness verify twelve",
        "Also that no sandbox reached anything but the gateway": "harness verify twelve --egress",
    },
)
@run_argument
@click.option("--egress", is_flag=True, help="Also check what each sandbox sent, and to where.")
@json_option
def command(run: Path, *, egress: bool, as_json: bool) -> int:
    """Check RUN: every file is whole, is what its digest says, and is named where it has to be. Exit status 5 if not.

    Bodies are put together again. Blobs that nothing names and attempts that don't count yet are no damage: a killed
    writer leaves them. To compute every score again: harness rescore --check RUN

    With --egress every attempt must prove that its sandbox reached nothing but the gateway: counters and destinations,
    read from outside, that add up, under rules that this version of the harness knows.
    """
    folder = RunFolder.open(run)
    verified = check(folder)
    further = _unplannable(folder)
    if further is not None and further not in verified.problems:
        verified = attrs.evolve(verified, problems=(*verified.problems, further))
    about: dict[str, Any] = {"run": str(run), "manifest": folder.identity}
    if egress:
        from harness.run.egress import check as proving

        proved = proving.check(folder)
        about["egress"] = proved.to_json()
        verified = attrs.evolve(verified, problems=(*verified.problems, *proved.problems))
    for problem in verified.problems:
        click.echo(plain(problem), err=True)
    if as_json:
        click.echo(json.dumps({**about, **attrs.asdict(verified)}, sort_keys=True))
    elif not verified.problems:
        click.echo(f"{run}: {verified.rollouts} rollouts, and all that belongs to them is whole", err=True)
        if egress:
            click.echo(_proved(about["egress"]), err=True)
        if verified.unnamed:
            count = len(verified.unnamed)
            click.echo(f"note: {count} blob{'' if count == 1 else 's'} that nothing names; see harness gc", err=True)
    return EXIT_CHECK if verified.problems else EXIT_OK


def _proved(found: Mapping[str, Any]) -> str:
    without = f", {found['unproved']} masked ones without a sandbox that could be read" if found["unproved"] else ""
    refused = f"{found['refused']:,} packets refused, to {found['destinations']:,} destinations"
    return f"egress: {found['proved']} of {found['attempts']} attempts proved{without}; {refused}"


def _unplannable(run: RunFolder) -> str | None:
    """What is wrong with the tasks that the manifest plans, by the task set; None where nothing is."""
    from harness.run import results, scorers  # with the graders, which take a while to import

    if not run.blobs.has(run.manifest.tasks):
        return None  # was named as missing
    try:
        results.planned(run, scorers.benchmark_of(run))
    except StoreCorruptError as error:
        return str(error)
    except UsageError:  # a benchmark of another version: only its files can be checked
        return None
    return None
