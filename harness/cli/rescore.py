"""``harness rescore``: score a run again, from its folder alone."""

import json
from pathlib import Path
from typing import Any

import attrs
import click

from harness.cli.help import Choice, Command
from harness.cli.options import (
    benchmark_option,
    config_option,
    json_option,
    pairs_argument,
    run_argument,
    setting_options,
    settings,
)
from harness.errors import EXIT_CHECK, EXIT_OK, UsageError
from harness.run.settings.resolve import Settings

JUDGE = (
    "judge_base_url",
    "judge_model",
    "judge_api_key_file",
    "send_openai_key",
    "no_preflight",
    "judge_temperature",
    "judge_top_p",
    "judge_max_tokens",
    "judge_max_tokens_field",
    "judge_concurrency",
    "judge_timeout",
    "judge_attempts",
)


@click.command(
    cls=Command,
    examples={
        "The same bytes again": "harness rescore twelve",
        "Is it what it should be": "harness rescore twelve --check",
        "Ask a judge that failed again": "harness rescore twelve --judge failed",
        "How much of the spread is the judge's own": "harness rescore twelve --judge live --judge-repeats 5",
    },
)
@run_argument
@pairs_argument
@click.option(
    "--judge",
    type=Choice(["recorded", "failed", "live"]),
    default="recorded",
    show_default=True,
    help="recorded: ask nobody. failed: ask where no verdict is kept. live: ask anew about every answer.",
)
@click.option(
    "--judge-repeats",
    "repeats",
    type=click.IntRange(1, 1000),
    default=1,
    metavar="K",
    help="Compare K judgings of each answer: how much of the spread is the judge's own.",
)
@click.option(
    "--judging",
    type=click.IntRange(0, 10**6),
    default=None,
    metavar="N",
    help="The replies of judging N count: 0 is the run's own, each --judge live makes the next one.",
)
@click.option("--scorer", metavar="NAME", help="Begin from this scorer of the run (the start of its name is enough).")
@benchmark_option
@click.option("--check", is_flag=True, help="Write nothing: compute all and compare; exit status 5 where it differs.")
@config_option
@json_option
@setting_options(JUDGE, origins=False)
def command(
    run: Path,
    pairs: tuple[str, ...],
    judge: Any,
    repeats: int,
    judging: int | None,
    scorer: str | None,
    benchmark: Path | None,
    config: str | None,
    *,
    check: bool,
    as_json: bool,
    **flags: str | None,
) -> int:
    """Score RUN again: from its records and the judge's kept replies, with no policy, no sandbox and no network.

    The judge is the run's own unless options say otherwise; another one makes scores of another scorer beside them.
    Where to ask is set as for eval: JUDGE_BASE_URL and JUDGE_API_KEY, --judge-base-url.
    """
    if check and (judge != "recorded" or repeats > 1):
        raise UsageError("--check compares what is kept: it goes with --judge recorded, and without --judge-repeats.")
    if judging is not None and judge == "live":
        raise UsageError("--judge live makes a judging of its own: leave out --judging.")
    from harness.run.rescoring.rescore import Rescoring, Wanted

    found = settings(pairs, config, flags)
    wanted = Wanted(judge=judge, repeats=repeats, judging=judging, scorer=scorer, benchmark=benchmark)
    work = Rescoring.of(run, wanted, found)
    return _check(work, as_json=as_json) if check else _rescore(work, wanted, found, as_json=as_json)


def _rescore(work: Any, wanted: Any, found: Settings, *, as_json: bool) -> int:
    from harness.report.rescored import rescored
    from harness.report.words import plain
    from harness.run.summary import exit_status

    report = work.rescore(wanted, found, lambda line: click.echo(plain(line), err=True))
    for line in rescored(report):
        click.echo(line, err=True)
    if as_json:
        click.echo(json.dumps(report, sort_keys=True))
    return exit_status(report)


def _check(work: Any, *, as_json: bool) -> int:
    from harness.report.rescored import differing

    rows, found = work.check()
    differences = [attrs.asdict(difference) for difference in found]
    root, scorer = str(work.run.layout.root), work.scorer.digest
    if as_json:
        scored = sum(row.done is not None for row in rows)
        report = {"run": root, "scorer": scorer, "scores": scored, "differences": differences}
        click.echo(json.dumps(report, sort_keys=True))
    for line in (
        differing(root, differences) if differences else [f"{root}: scores and summary are what they should be"]
    ):
        click.echo(line, err=True)
    return EXIT_CHECK if differences else EXIT_OK
