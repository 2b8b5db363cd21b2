"""``harness schema``: JSON Schemas of what ``--json`` prints."""

import json

import click

from harness.cli import completing, schemas
from harness.cli.help import Command
from harness.cli.options import json_option
from harness.errors import EXIT_OK


@click.command(
    cls=Command,
    examples={
        "Which there are": "harness schema",
        "What harness eval --json prints": "harness schema eval",
    },
)
@click.argument("name", required=False, shell_complete=completing.schemas)
@json_option
def command(name: str | None, *, as_json: bool) -> int:
    """Print the JSON Schema (draft 2020-12) of a command's --json object, or list all.

    The schema stands alone: what it refers to is in it.
    """
    if name is not None:
        click.echo(json.dumps(schemas.bundled(name), indent=1))
        return EXIT_OK
    found = [{"name": one, "title": schemas.read(one)["title"]} for one in schemas.names()]
    if as_json:
        click.echo(json.dumps({"schemas": found}, sort_keys=True))
        return EXIT_OK
    widest = max((len(one["name"]) for one in found), default=0)
    for one in found:
        click.echo(f"{one['name']:<{widest}}  {one['title']}")
    return EXIT_OK
