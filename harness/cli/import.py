"""``harness import``: an archive back to a run folder."""  # noqa: N999

import json
from pathlib import Path

import click

_HELP = {"help_option_names": ["-h", "--help"]}


@click.command(context_settings=_HELP)
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
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
