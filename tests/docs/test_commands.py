"""Every command in the documents is run by a test, or it is said why not; a mistyped one is noticed here."""

import re
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence

import click
import pytest

from harness.cli.main import cli
from tests.docs.documents import ROOT, Command, pages
from tests.docs.elsewhere import ELSEWHERE, FOREIGN, PARSED, Elsewhere
from tests.docs.played import PLAYED

COMMANDS = [command for page in pages() for command in page.commands()]
HARNESS = re.compile(r"(?:\S*/)?harness$")
PLACEHOLDERS = {"harness X", "sh nix/setup.sh nix run . --", "sh nix/setup.sh CMD"}  # they stand for any command
# Options of other programs that sentences name by themselves.
OTHERS = {
    *("--chat-template-content-format", "--context-length", "--logprobs-mode", "--served-model-name"),  # vLLM, SGLang
    *("--jinja", "--mmproj"),  # llama.cpp
    *("--network", "--privileged", "--preserve-digests", "--judge-failed-only"),  # Podman, Docker, skopeo, NeMo Gym
    *("--export", "--signal", "--name"),  # Slurm, and any option at all
}
KNOWN = [entry.text for entry in (*PLAYED, *ELSEWHERE, *PARSED, *FOREIGN)]


def test_every_command_is_in_a_table() -> None:
    wrong = [each.where for each in COMMANDS if each.text not in {*KNOWN, *PLACEHOLDERS} and not mention(each)]
    assert wrong == [], (
        "Nobody runs these commands of the documents. Add each to tests/docs/played.py, which "
        "tests/integration/test_commands.py runs; or to tests/docs/elsewhere.py, with the test that does, or the "
        "reason why none can"
    )


def test_every_entry_of_the_tables_is_in_a_document_once() -> None:
    written = {each.text for each in COMMANDS}
    assert [text for text in KNOWN if text not in written] == [], "no document has these commands any more"
    assert [text for text, count in Counter(KNOWN).items() if count > 1] == []


def test_every_option_and_name_of_our_commands_exists() -> None:
    given = {each.where: ours(each.text) for each in COMMANDS if each.text not in PLACEHOLDERS and not mention(each)}
    wrong = {where: error for where, words in given.items() if words and (error := refused(words))}
    assert wrong == {}


def test_every_option_that_a_sentence_names_exists() -> None:
    known = {option for command in walk(cli) for param in command.params for option in param.opts} | {"--help"}
    named = ((page, line, span) for page in pages() for line, span in page.spans() if span.startswith("--"))
    wrong = [f"{page.name}:{line}: {span}" for page, line, span in named if span.split()[0].split("=")[0] not in known]
    assert [each for each in wrong if each.split()[1].split("=")[0] not in OTHERS] == []


def test_a_mistyped_option_or_command_is_noticed() -> None:
    assert refused(["show", "R", "--maksed"])
    assert refused(["shwo", "R"])
    assert refused(["export", "R", "--format", "gmy"])
    assert refused(["data", "fetsch"])
    assert refused(["show", "R", "--masked"]) is None


@pytest.mark.parametrize("entry", ELSEWHERE, ids=lambda entry: entry.text)
def test_the_test_that_is_named_runs_such_a_command(entry: Elsewhere) -> None:
    text = (ROOT / entry.file).read_text()
    assert [mark for mark in entry.marks or marks(entry.text) if mark not in text] == []


def ours(text: str) -> list[str]:
    """The words after ``harness`` of a command of ours; none for any other."""
    words = shlex.split(text)
    return words[1:] if words and HARNESS.match(words[0]) else []


def named(words: Sequence[str]) -> tuple[click.Command, int]:
    """The command that the first words name, as far as they name any, and how many they are."""
    found: click.Command = cli
    for number, word in enumerate(words):
        inner = found.get_command(click.Context(found), word) if isinstance(found, click.Group) else None
        if inner is None:
            return found, number
        found = inner
    return found, len(words)


def walk(command: click.Command) -> Iterator[click.Command]:
    """A command and all below it."""
    yield command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            if inner := command.get_command(context, name):
                yield from walk(inner)


def mention(command: Command) -> bool:
    """Whether it only names a command, as a sentence does; such a name is right, or it would not be known."""
    words = ours(command.text)
    return command.inline and bool(words) and named(words)[1] == len(words)


def refused(words: Sequence[str]) -> str | None:
    """What our command line has against it, without running it."""
    command, number = named(words)
    if words[number:] == ["--help"]:  # it would print
        return None
    if isinstance(command, click.Group):
        return f"there is no command {' '.join(words[: number + 1])}"
    try:
        command.make_context(command.name, list(words[number:]))
    except click.UsageError as error:
        return error.format_message()
    return None


def marks(text: str) -> list[str]:
    """The names and options of a command, as a test writes them."""
    words = ours(text)
    names = words[: named(words)[1]] if words else re.findall(r" ([a-z]+)(?= |$)", text)
    return [f'"{word}"' for word in (*names, *(word for word in shlex.split(text) if word.startswith("-")))]
