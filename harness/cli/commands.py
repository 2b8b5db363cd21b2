"""Every command by its section of ``harness --help``, and the group that imports one only where it is called."""

import importlib
from typing import TYPE_CHECKING, Final

import click

from harness.benchmarks.babyvision.names import NAMES
from harness.cli.help import Command, Group
from harness.errors import UsageError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# Section -> command -> what `harness --help` says of it. The module harness.cli.COMMAND is imported only when it is
# called, so that help and completion stay fast.
SECTIONS: Final = {
    "Run": {
        "eval": "Run a benchmark, new or resumed.",
        "benchmarks": "List what can be run, and whether its data is here.",
        "config": "Show each setting, its value and where it came from.",
        "data": "Get, install and check a benchmark's data.",
        "slurm": "Run a benchmark on a cluster, as jobs of Slurm.",
    },
    "Look": {
        "report": "Write a run as a page for a browser.",
        "show": "List a run's rollouts, or show one as a conversation.",
        "diff": "Compare two runs: what changed, and whether it is more than chance.",
        "export": "Write a run as NeMo Gym's files, as parquet or as JSON lines.",
    },
    "Check": {
        "verify": "Check every file of a run folder, and what names what.",
        "rescore": "Grade a run again from its record alone.",
        "reproduce": "Check an archive by doing all of it again from its record.",
    },
    "Carry": {
        "archive": "Write a run into one file that any registry can carry.",
        "import": "Check such a file and make a run folder of it.",
        "bundle": "Write all that a machine without a network needs into one file.",
    },
    "This machine": {
        "doctor": "Check what this machine must give, and say what to do.",
        "gc": "Remove what killed processes left behind.",
    },
    "Scripts": {
        "schema": "Print the JSON Schema of what --json prints.",
        "completion": "Print what makes Tab complete in bash, zsh or fish.",
    },
}
COMMANDS: Final = {name: said for commands in SECTIONS.values() for name, said in commands.items()}


class LazyGroup(Group):
    """A group whose commands are imported when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(f"harness.cli.{cmd_name}").command
        if not isinstance(command, click.Command):
            raise TypeError(f"harness.cli.{cmd_name}.command is no click command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and (args[0] in NAMES or args[0].endswith(".py")) and not ctx.resilient_parsing:
            raise UsageError(f"{args[0]} is a benchmark, and no command. Did you mean 'harness eval {args[0]}'?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # click would import each command for its help line
        widest = max(map(len, COMMANDS))
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(widest), said) for name, said in commands.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        # click would import each command here, too
        from click.shell_completion import CompletionItem

        names = [CompletionItem(name, help=said) for name, said in COMMANDS.items() if name.startswith(incomplete)]
        return [*names, *Command.shell_complete(self, ctx, incomplete)]
