"""``harness show``: a run's rollouts as a list, or one of them as a conversation."""

import json
import sys
from pathlib import Path
from typing import Any

import click

from harness.cli import completing
from harness.cli.help import Command
from harness.cli.options import json_option, run_argument
from harness.errors import EXIT_OK, UsageError

OF_LIST = {"outcomes": "--outcome", "flags": "--flag", "wrong": "--wrong", "masked": "--masked"}
OF_TASK = {
    "repeat": "--repeat",
    "attempt": "--attempt",
    "full": "--full",
    "all_calls": "--all-calls",
    "images": "--images",
}


@click.command(
    cls=Command,
    examples={
        "All rollouts of a run": "harness show twelve",
        "Those that were wrong": "harness show twelve --wrong",
        "One of them, from the first word to the verdict": "harness show twelve 3",
        "Its images": "harness show twelve 3 --images pictures",
    },
)
@run_argument
@click.argument("task", metavar="[TASK]", required=False, shell_complete=completing.tasks)
@click.option(
    "--outcome",
    "outcomes",
    multiple=True,
    metavar="NAME",
    help="List only rollouts that ended so.",
    shell_complete=completing.outcomes,
)
@click.option(
    "--flag",
    "flags",
    multiple=True,
    metavar="NAME",
    help="List only rollouts with this flag.",
    shell_complete=completing.flags,
)
@click.option("--wrong", is_flag=True, help="List only measured rollouts with a reward below 1.")
@click.option("--masked", is_flag=True, help="List only rollouts that were not measured.")
@click.option("--repeat", type=click.IntRange(min=0), metavar="N", help="Which repeat of TASK, from 0.  [default: 0]")
@click.option("--attempt", metavar="NAME", help="Its number or how its name begins.  [default: the one that counts]")
@click.option("--full", is_flag=True, help="Cut no text of TASK's talk.")
@click.option("--all-calls", is_flag=True, help="Show also what was asked off TASK's chain.")
@click.option("--images", metavar="DIR", type=completing.Folder(), help="Write TASK's images into this folder.")
@click.option("--scorer", metavar="BEGINNING", help="How a scorer's name begins.  [default: the run's own]")
@json_option
def command(run: Path, task: str | None, *, scorer: str | None, as_json: bool, **options: Any) -> int:
    """List the rollouts of RUN, or show how TASK went: what was asked, said, done and answered.

    What a model or a data set wrote can't move the cursor: such signs are shown as escapes.
    """
    for name, option in (OF_TASK if task is None else OF_LIST).items():
        if options[name] not in (None, False, ()):
            raise UsageError(f"{option} {'needs a TASK' if task is None else 'is for the list, without a TASK'}.")
    from harness.report.words import speakable, width
    from harness.run.rows import Looked

    looked = Looked.open(run, scorer)
    if task is None:
        from harness.report import show_list

        chosen = show_list.Filter(**{name: options[name] for name in OF_LIST})
        found = show_list.described(looked, chosen)
        lines = show_list.render(found, width(sys.stdout))
    else:
        from harness.report import pictures, show_rollout, show_text

        rollout = show_rollout.find(looked, task, options["repeat"] or 0, options["attempt"])
        found = show_rollout.to_json(looked, rollout, all_calls=options["all_calls"])
        lines = show_text.render(found, full=options["full"])
        if options["images"] is not None:
            written = pictures.write(options["images"], task, rollout.item.repeat, rollout.pictures)
            click.echo(f"images in {options['images']}: {len(written)}", err=True)
    if as_json:
        click.echo(json.dumps(found, sort_keys=True))
        return EXIT_OK
    speakable(sys.stdout)
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return EXIT_OK
