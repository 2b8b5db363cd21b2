"""``harness slurm``: a run on a cluster, as jobs of Slurm."""

import asyncio
import json
import os
from pathlib import Path

import click

from harness.cli.completing import Folder
from harness.cli.help import Group
from harness.cli.options import (
    benchmark_argument,
    config_option,
    json_option,
    pairs_argument,
    run_argument,
    setting_options,
    texts,
)
from harness.errors import EXIT_CHECK, EXIT_OK, UsageError
from harness.run.settings.resolve import Settings, arguments, resolve
from harness.run.settings.table import setting_of

shards_option = click.option(
    "--shards", type=click.IntRange(1, 100_000), required=True, metavar="N", help="Into how many jobs the run is cut."
)


@click.group(
    cls=Group,
    examples={
        "Are the nodes fit": "harness slurm preflight --config site.toml --run /shared/R",
        "Submit what is left": "harness slurm submit babyvision --run /shared/R --shards 200 --config site.toml",
        "How far it is": "harness slurm status /shared/R",
    },
)
def command() -> None:
    """Run a benchmark on a cluster with Slurm: one run folder, many nodes.

    docs/slurm.md has the knobs of a site.
    """


@command.command(
    examples={
        "The demo's puzzles, as four jobs": "harness slurm submit babyvision --demo --run /shared/twelve --shards 4",
        "Only look at the scripts": "harness slurm submit babyvision --demo --run /shared/twelve --shards 4 --print",
    }
)
@benchmark_argument
@pairs_argument
@config_option
@shards_option
@click.option("--slots", type=click.IntRange(1, 100_000), metavar="M", help="At most so many jobs at a time.")
@click.option("--print", "only_print", is_flag=True, help="Print the scripts; submit nothing.")
@json_option
@setting_options()
def submit(
    benchmark: str,
    pairs: tuple[str, ...],
    config: str | None,
    *,
    shards: int,
    slots: int | None,
    only_print: bool,
    as_json: bool,
    **flags: str | None,
) -> int:
    """Submit what BENCHMARK's run still lacks as a job array, and a last job that sums up.

    Call it again as often as you like: only shards that lack rollouts and have no job are submitted. Settings are those
    of harness eval, with --run on a filesystem that all nodes see; keys only by --policy-api-key-file and
    --judge-api-key-file.
    """
    from harness.benchmarks.own.loading import is_file
    from harness.report.jobs import sent as lines
    from harness.run.settings import check
    from harness.run.slurm import client, knobs, submitting

    env = dict(os.environ)
    given, found = _settings(pairs, config, flags)
    check.before_namespace(benchmark, found)
    submitting.check_keys(found, env)
    wanted = knobs.read(Path(config) if config else None)
    site = submitting.site(
        wanted if slots is None else wanted.model_copy(update={"slots": slots}),
        *(Path.cwd(), env, found, Path(found["run"])),
    )
    if not only_print:
        client.folder(env)
    planned = submitting.items(benchmark, found)
    file = Path(benchmark).absolute() if is_file(benchmark) else None
    words = ["slurm", "job", str(file or benchmark), f"--shards={shards}", *arguments(*given)]
    queue = [] if only_print else client.queue(env)
    submission = submitting.prepare(planned, found, site, words, shards, queue, file)
    if only_print:
        click.echo(submission.array + "\n" + submission.last, nl=False)
        return EXIT_OK
    sent = submitting.submit(submission, env)
    for line in lines(sent):
        click.echo(line, err=True)
    if as_json:
        click.echo(json.dumps(sent.to_json(), sort_keys=True))
    return EXIT_OK


@command.command(hidden=True)
@benchmark_argument
@pairs_argument
@shards_option
@setting_options(origins=False)
def job(benchmark: str, pairs: tuple[str, ...], *, shards: int, **flags: str | None) -> int:
    """Run one shard, as the task of a job array that harness slurm submit wrote."""
    from harness.report.words import plain
    from harness.run.slurm import job as running

    env = dict(os.environ)
    given, found = _settings(pairs, None, flags)
    own = [f"--shard={running.shard(env, shards)}/{shards}", f"--jobs={running.sandboxes(found, env)}"]
    words = ["eval", benchmark, *arguments(*given, without=("jobs",)), *own, "--json"]
    return running.run(words, env, lambda line: click.echo(plain(f"harness: {line}"), err=True))


@command.command(
    examples={
        "All nodes": "harness slurm preflight --config site.toml",
        "Some of them": "harness slurm preflight --nodes n[1-8,12] --run /shared/twelve",
    }
)
@config_option
@click.option("--nodes", metavar="LIST", help="Only these nodes, as Slurm writes them: n[1-8,12].")
@click.option("--run", type=Folder(), metavar="DIR", help="Also look at where a run is to be kept.")
@click.option(
    "--wait",
    type=click.IntRange(1, 86_400),
    default=300,
    show_default=True,
    metavar="SECONDS",
    help="How long a node that is busy may take to become free.",
)
@json_option
def preflight(config: str | None, nodes: str | None, run: Path | None, *, wait: int, as_json: bool) -> int:
    """Run harness doctor on each node and make one table of it; exit status 5 where a node isn't fit."""
    from harness.report.nodes import table
    from harness.run.slurm import client, knobs, submitting
    from harness.run.slurm import nodes as cluster

    env = dict(os.environ)
    client.folder(env, "srun")
    site = submitting.site(knobs.read(Path(config) if config else None), Path.cwd(), env)
    listed = cluster.listed(site.knobs, nodes, env)
    if not listed:
        raise UsageError("Slurm knows no such nodes. See: sinfo --Node")
    doctor = ["doctor", "--json", *(["--run", str(run.absolute())] if run else [])]
    found = asyncio.run(cluster.examine(listed, site, doctor, wait, env))
    for line in table(found):
        click.echo(line, err=as_json)
    if as_json:
        click.echo(json.dumps({"nodes": [node.to_json() for node in found]}, sort_keys=True))
    return EXIT_OK if all(node.fit for node in found) else EXIT_CHECK


@command.command(examples={"How far it is": "harness slurm status /shared/twelve"})
@run_argument
@json_option
def status(run: Path, *, as_json: bool) -> int:
    """Say how far RUN is, and what its jobs do."""
    from harness.report.jobs import state
    from harness.run.slurm import client
    from harness.run.slurm.status import status as look

    env = dict(os.environ)
    found = look(run.absolute(), client.queue(env))
    for line in state(found):
        click.echo(line, err=as_json)
    if as_json:
        click.echo(json.dumps(found, sort_keys=True))
    return EXIT_OK


def _settings(
    pairs: tuple[str, ...], config: str | None, options: dict[str, str | None]
) -> tuple[tuple[dict[str, str], dict[str, str]], Settings]:
    """What flags and file say, with a whole path to the run, and the settings that come of it."""
    flags, file = texts(pairs, config, options)
    found = resolve(flags, os.environ, file)
    if found["shard"] is not None:
        raise UsageError("Each job is given its own shard: leave out --shard.")
    if found["run"] is None:
        raise UsageError("Name the run folder, on a filesystem that all nodes see: --run DIR")
    flags = {name: value for name, value in flags.items() if setting_of(name).name != "run"}
    flags["run"] = str(Path(found["run"]).absolute())
    return (flags, file), resolve(flags, os.environ, file)
