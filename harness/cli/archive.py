"""``harness archive``: a run folder as one OCI artifact."""

import json
from pathlib import Path

import click

from harness.cli import completing
from harness.cli.help import Command
from harness.cli.options import json_option, run_argument


@click.command(
    cls=Command,
    examples={
        "One file": "harness archive twelve twelve.oci",
        "A folder, as registry clients read it": "harness archive twelve twelve-layout/",
    },
)
@run_argument
@click.argument("file", metavar="FILE", shell_complete=completing.files)
@json_option
def command(run: Path, file: str, *, as_json: bool) -> int:
    """Write the run in the folder RUN to FILE: one tar file, which registry clients take as `oci-archive:FILE`.

    With a slash at FILE's end: to a folder, which they take as `oci:FILE`. The same run gives the same bytes. A damaged
    run is refused (exit status 5); so is a FILE that is there already and holds something else (exit status 2).
    """
    from harness.store.archive.archiving import archive

    done = archive(run, Path(file), folder=file.endswith("/"))
    artifact = done.written.artifact
    if as_json:
        found = {
            "archive": file,
            "run": str(run),
            "new": done.new,
            "digest": f"sha256:{done.written.digest}",
            "layers": len(artifact.layers),
            "bytes": done.written.size,
            "benchmark": artifact.facts.benchmark,
            "model": artifact.facts.model,
            "manifest": artifact.facts.manifest,
            "content_digest": artifact.facts.content,
            "rollouts": artifact.facts.rollouts,
        }
        click.echo(json.dumps(found, sort_keys=True))
    else:
        what = "archived" if done.new else "had been archived before"
        click.echo(f"{file}: {artifact.facts.rollouts} rollouts {what}; sha256:{done.written.digest}", err=True)
    return 0
