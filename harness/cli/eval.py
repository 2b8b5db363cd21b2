"""``harness eval``: run a benchmark, new or resumed."""

import json
import os
import sys

import click

from harness.cli.options import config_option, pairs_argument, setting_options, settings


@click.command(context_settings={"help_option_names": ["-h", "--help"], "ignore_unknown_options": False})
@click.argument("benchmark")
@pairs_argument
@config_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout at the end.")
@setting_options()
def command(
    benchmark: str,
    pairs: tuple[str, ...],
    config: str | None,
    *,
    as_json: bool,
    **flags: str | None,
) -> int:
    """Run BENCHMARK (babyvision or babyvision-question-only) and score it.

    \b
    Without keys, data or a network:
        harness eval babyvision --demo --limit 1 --run R
    Your endpoint on the demo's puzzles (its key in POLICY_API_KEY):
        harness eval babyvision --demo --policy-base-url URL --policy-model NAME --run R
    The data set (POLICY_BASE_URL, POLICY_MODEL, POLICY_API_KEY; JUDGE_BASE_URL, JUDGE_MODEL, JUDGE_API_KEY):
        harness eval babyvision --jobs 4 --run R
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
