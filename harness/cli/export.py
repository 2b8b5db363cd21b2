"""``harness export``: a run in the files of others."""

import json
from pathlib import Path
from typing import Any

import click

from harness.cli.help import Choice, Command
from harness.cli.options import json_option, run_argument
from harness.report.export.exporting import FORMATS, Wanted, export
from harness.report.export.pictures import IMAGES


@click.command(
    cls=Command,
    examples={
        "NeMo Gym's files": "harness export twelve --format gym",
        "A table for pandas or DuckDB": "harness export twelve --format parquet --out twelve.parquet",
        "Conversations, a line each, with images by digest": "harness export twelve --format jsonl --images digest",
    },
)
@run_argument
@click.option("--format", "form", type=Choice(FORMATS), required=True, help="Which files.")
@click.option("--out", type=click.Path(path_type=Path), help="The file; its name is the beginning of gym's others.")
@click.option("--images", type=Choice(IMAGES), default="data", show_default=True, help="In it, or by digest.")
@click.option("--scorer", metavar="HEX", help="Whose scores, by the beginning of its name; else the latest scorer's.")
@click.option("--force", is_flag=True, help="Replace files that are there and hold something else.")
@json_option
def command(run: Path, *, form: str, as_json: bool, **options: Any) -> None:
    """Write the rollouts of RUN for other tools; reads the run folder alone.

    \b
    gym      NeMo Gym's files: RUN.jsonl, RUN_materialized_inputs.jsonl, RUN_failures.jsonl,
             RUN_aggregate_metrics.json, RUN_token_entries.jsonl
    parquet  RUN/rollouts.parquet: one row for each planned rollout
    jsonl    RUN_chats.jsonl: one conversation a line, as chat messages

    The files hold the right answers. docs/export.md says what each key and column is.
    """
    options["replace"] = options.pop("force")
    written: dict[str, Any] = export(run, Wanted(form=form, **options))
    for file in written["files"]:
        click.echo(f"{file['path']}: {file['rows']} rows", err=True)
    if as_json:
        click.echo(json.dumps(written, sort_keys=True))
