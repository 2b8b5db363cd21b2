"""``harness doctor``: whether this machine can run sandboxes, and what to do where it can't."""

import json
import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.cli.completing import Folder
from harness.cli.help import Command
from harness.cli.options import json_option
from harness.errors import EXIT_CHECK, EXIT_HOST, EXIT_OK

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.run.doctor.entering import Tried
    from harness.run.doctor.values import Check


@click.command(
    cls=Command,
    examples={
        "What a run needs of this machine": "harness doctor",
        "And of the place where a run is to be kept": "harness doctor --run twelve",
        "Whether its sandboxes hold (20 s)": "harness doctor --sandbox",
    },
)
@click.option("--run", type=Folder(), metavar="DIR", help="Also look at where a run is to be kept.")
@click.option("--sandbox", is_flag=True, help="Also try to break out of real sandboxes.")
@click.option("--quick", is_flag=True, help="With --sandbox: only what is tried before each run.")
@json_option
def command(run: Path | None, *, sandbox: bool, quick: bool, as_json: bool) -> int:
    """Check each requirement of this machine, say what was found, and what to do.

    Nothing is sent off the machine. Exit status 5 where a check failed, 4 where a sandbox did not hold.
    """
    if quick and not sandbox:
        raise click.UsageError("--quick is a part of --sandbox: give both.")
    from harness.run.doctor import diagnosis, entering, facts, reading

    env = dict(os.environ)
    seen = reading.look(env, run)
    tried = entering.enter(("quick" if quick else "full") if sandbox else "", env)
    checks = diagnosis.diagnose(seen, tried)
    if as_json:
        found: dict[str, Any] = {"checks": [one.to_json() for one in checks], "host": facts.provided(env)}
        if sandbox:
            found |= {"vectors": tried.vectors or [], "twins": tried.twins or []}
        click.echo(json.dumps(found, sort_keys=True))
    else:
        _say(checks, tried)
    return _status(checks, tried)


def _status(checks: "Sequence[Check]", tried: "Tried") -> int:
    if not all(one["held"] for one in tried.vectors or ()):
        return EXIT_HOST
    failed = any(one.state == "failed" for one in checks) or not all(one["detected"] for one in tried.twins or ())
    return EXIT_CHECK if failed else EXIT_OK


def _say(checks: "Sequence[Check]", tried: "Tried") -> None:
    from harness.report.words import plain

    for one in checks:
        click.echo(f"{one.state:<9}  {one.name}: {plain(one.found)}")
        if one.advice:
            click.echo(f"{'':<9}  -> {plain(one.advice)}")
    for line in _tested(tried):
        click.echo(plain(line))
    counts = {state: sum(one.state == state for one in checks) for state in ("ok", "warning", "failed", "not known")}
    click.echo(", ".join(f"{count} {state}" for state, count in counts.items() if count))


def _tested(tried: "Tried") -> "Iterator[str]":
    """The self-test in words: one by one only what was not simply held."""
    if tried.vectors is None or tried.twins is None:
        return
    for vector in tried.vectors:
        if vector["state"] != "held":
            yield f"{vector['state']}: {vector['class']}: {vector['name']}: {vector['detail']}"
    for twin in tried.twins:
        if not twin["detected"]:
            yield f"weakened, and NOT detected: {twin['class']}: {twin['name']}: {twin['detail']}"
    counts = Counter(vector["state"] for vector in tried.vectors)
    detected = sum(bool(twin["detected"]) for twin in tried.twins)
    yield f"{len(tried.vectors)} vectors: " + ", ".join(f"{count} {state}" for state, count in counts.most_common())
    if tried.twins:
        yield f"{len(tried.twins)} weakened sandboxes: {detected} detected"
