"""``harness import``: an archive back to a run folder."""  # noqa: N999

import json
from pathlib import Path

import click

from harness.cli.completing import Folder
from harness.cli.help import Command
from harness.cli.options import json_option


@click.command(
    cls=Command,
    examples={
        "Back to a run folder": "harness import twelve.oci copy",
    },
)
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.argument("folder", metavar="DIR", type=Folder())
@json_option
def command(file: Path, folder: Path, *, as_json: bool) -> int:
    """Make the run folder DIR of the archive FILE: a tar file, or an OCI image layout in a folder.

    Every byte is checked before DIR is there; an archive that is damaged or holds anything else is refused (exit status
    5). DIR must be new or empty, or hold the very same run.
    """
    from harness.store.archive.importing import import_archive

    done = import_archive(file, folder)
    facts = done.checked.artifact.facts
    if as_json:
        found = {
            "archive": str(file),
            "run": str(folder),
            "new": done.new,
            "digest": f"sha256:{done.checked.digest}",
            "benchmark": facts.benchmark,
            "model": facts.model,
            "manifest": facts.manifest,
            "content_digest": facts.content,
            "rollouts": facts.rollouts,
        }
        click.echo(json.dumps(found, sort_keys=True))
    else:
        what = "imported and verified" if done.new else "are there already: the very same run"
        click.echo(f"{folder}: {facts.rollouts} rollouts {what}", err=True)
    return 0
