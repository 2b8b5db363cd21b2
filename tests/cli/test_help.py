"""Help: sections, examples that can be run as they stand, widths, and suggestions."""

import shlex
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

from harness.cli.commands import COMMANDS, SECTIONS
from harness.cli.help import Command
from harness.cli.main import cli, run
from harness.run.settings import table


def _commands(group: click.Group = cli, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command that is not hidden, with its words."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if not command.hidden:
            yield (*path, name), command
        if isinstance(command, click.Group):
            yield from _commands(command, (*path, name))


ALL = list(_commands())
NAMES = [" ".join(words) for words, _ in ALL]


def _examples(command: click.Command) -> dict[str, str]:
    assert isinstance(command, Command)
    return dict(command.examples)


@pytest.mark.parametrize(("words", "command"), ALL, ids=NAMES)
def test_a_command_has_examples_and_its_help_shows_them(
    words: tuple[str, ...], command: click.Command, capsys: pytest.CaptureFixture[str]
) -> None:
    examples = _examples(command)
    assert examples
    assert run([*words, "--help"]) == 0
    shown = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert set(examples.values()) <= set(shown)


LINES = [line for _, command in [((), cli), *ALL] for line in _examples(command).values() if line.startswith("harness")]


@pytest.mark.parametrize("line", LINES)
def test_an_examples_words_are_what_the_command_takes(line: str) -> None:
    _, *argv = shlex.split(line.partition(">")[0])
    context = click.Context(cli)
    command: click.Command = cli
    while isinstance(command, click.Group):
        found = command.get_command(context, argv[0])
        assert found is not None
        if not argv[1:] and isinstance(found, click.Group):
            return
        command, argv = found, argv[1:]
    command.make_context("harness", argv)  # raises for an option or a value that it doesn't take


def test_each_command_stands_under_one_heading(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    out = capsys.readouterr().out
    places = [out.index(f"\n{title}:\n") for title in SECTIONS]
    assert places == sorted(places)
    assert sorted(COMMANDS) == sorted(name for commands in SECTIONS.values() for name in commands)


def test_evals_options_stand_in_the_sections_of_the_settings(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["eval", "--help"]) == 0
    out = capsys.readouterr().out
    for title, settings in table.SECTIONS.items():
        section = out.partition(f"\n{title}:\n")[2].partition("\n\n")[0]
        assert all(f"  {setting.option} " in section for setting in settings), title


@pytest.mark.parametrize("columns", [60, 80, 140])
def test_help_fits_the_width(columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert run(["eval", "--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    prose = [line for line in lines if not line.startswith("    harness ")]  # a command line isn't wrapped
    assert max(map(len, prose)) <= min(columns, 100)
    assert max(map(len, prose)) > min(columns, 100) * 0.8


def test_help_has_no_colour_in_a_pipe() -> None:
    command = [sys.executable, "-I", "-m", "harness.cli", "eval", "--help"]
    done = subprocess.run(command, capture_output=True, check=True)
    assert b"\x1b" not in done.stdout


@pytest.mark.parametrize(
    ("argv", "meant"),
    [
        (["shwo", "R"], "'show'"),
        (["babyvision", "--demo"], "'harness eval babyvision'"),
        (["sums.py"], "'harness eval sums.py'"),
        (["data", "fetsh"], "'fetch'"),
        (["slurm", "sumbit"], "'submit'"),
        (["eval", "babyvison", "--demo"], "'babyvision'"),
        (["eval", "babyvision", "--demo", "--polcy-model", "m"], "'--policy-model'"),
        (["eval", "babyvision", "--demo", "--policy_model", "m"], "'--policy-model'"),
        (["eval", "babyvision", "--demo", "++job=1"], "'jobs'"),
        (["export", "R", "--format", "parqet"], "'parquet'"),
        (["rescore", "R", "--judge", "recored"], "'recorded'"),
        (["completion", "bsh"], "'bash'"),
        (["schema", "evla"], "'eval'"),
    ],
)
def test_a_mistyped_name_is_answered_with_the_nearest(
    argv: list[str], meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(argv) == 2
    captured = capsys.readouterr()
    assert f"Did you mean {meant}?" in captured.err
    assert captured.out == ""


@pytest.mark.parametrize("group", ["data", "slurm"])
def test_a_groups_commands_are_told_in_whole_sentences(group: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([group, "--help"]) == 0
    commands = capsys.readouterr().out.partition("\nCommands:\n")[2].partition("\n\n")[0]
    assert commands
    assert "..." not in commands
