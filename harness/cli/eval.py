"""``harness eval``: run a benchmark, new or resumed."""

import json
import os
import sys

import click

from harness.cli.help import Command
from harness.cli.options import (
    benchmark_argument,
    config_option,
    json_option,
    pairs_argument,
    setting_options,
    settings,
)


@click.command(
    cls=Command,
    examples={
        "One puzzle: no keys, no data, no network": "harness eval babyvision --demo --limit 1 --run one",
        "All twelve, two at a time; the same again goes on": "harness eval babyvision --demo --jobs 2 --run twelve",
        "Your endpoint on them, with its key in POLICY_API_KEY": (
            "harness eval babyvision --demo --policy-base-url URL --policy-model NAME --run mine"
        ),
        "The data set, with endpoints by the environment": "harness eval babyvision --jobs 4 --run real",
        "All again, answered by the record": "harness eval babyvision --demo --policy replay:twelve --run again",
    },
)
@benchmark_argument
@pairs_argument
@config_option
@json_option
@setting_options()
def command(
    benchmark: str,
    pairs: tuple[str, ...],
    config: str | None,
    *,
    as_json: bool,
    **flags: str | None,
) -> int:
    """Run BENCHMARK and score it. harness benchmarks lists what there is; a file of your own ends with .py.

    Every option can also be given as ++name=value or in a settings file, and some by the environment: harness config
    says which value holds, and why. Keys come from POLICY_API_KEY and JUDGE_API_KEY, or from a file.
    """
    found = settings(pairs, config, flags)
    from harness.run.settings import check

    check.before_namespace(benchmark, found)
    from harness.sandbox import namespace

    if not namespace.inside():
        return namespace.enter([sys.executable, "-I", "-m", "harness.cli", *sys.argv[1:]], dict(os.environ))
    from harness.report.progress import shown
    from harness.report.table import render
    from harness.report.words import width
    from harness.run.evaluate import evaluate
    from harness.run.summary import exit_status

    with shown(sys.stderr) as show:
        summary = evaluate(benchmark, found, show)
    click.echo(render(summary, width(sys.stderr)), err=True, nl=False)
    if as_json:
        click.echo(json.dumps(summary, sort_keys=True))
    return exit_status(summary)
