"""``harness completion``: what makes Tab complete the harness's commands, options and names."""

import click
from click.shell_completion import get_completion_class

from harness.cli.help import Choice, Command
from harness.errors import EXIT_OK

PROGRAM = "harness"
#: The shell's script calls the command with this variable set; click answers then, and no command runs.
VARIABLE = "_HARNESS_COMPLETE"


@click.command(
    cls=Command,
    examples={
        "bash: this line, once or in ~/.bashrc": 'eval "$(harness completion bash)"',
        "zsh: this line in ~/.zshrc, after compinit": 'eval "$(harness completion zsh)"',
        "fish": "harness completion fish > ~/.config/fish/completions/harness.fish",
    },
)
@click.argument("shell", type=Choice(("bash", "zsh", "fish")))
def command(shell: str) -> int:
    """Print a script for SHELL. It completes commands, options, benchmarks, settings, and the tasks of a run.

    It is for a harness that is a command of its own, as a bundle's installer makes it.
    """
    kind = get_completion_class(shell)
    assert kind is not None  # click has these three
    click.echo(kind(click.Command(PROGRAM), {}, PROGRAM, VARIABLE).source())
    return EXIT_OK
