"""The harness's commands, each in a process of its own: this one enters no namespace and starts no sandbox."""

import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from harness.errors import EXIT_OK, HarnessError, UsageError
from harness.run.reproduce import commands

#: Is given each line that a command says, without its end.
Hears: TypeAlias = Callable[[str], None]


def command(words: Sequence[str], progress: Hears | None = None, expected: Sequence[int] = (EXIT_OK,)) -> Any:
    """The JSON object that a command prints.

    Raises as `harness.api.evaluate` does for an exit status that isn't ``expected``.
    """
    for word in words:
        if not _can_be_given(word):
            raise UsageError(f"{word[:200]!r} can't be given to a command: it holds a zero byte or half a character.")
    _, out = commands.run([*_program(), *words, "--json"], expected, f"harness {words[0]}", progress or _nobody)
    try:
        return json.loads(out)
    except ValueError as error:
        raise HarnessError(f"harness {words[0]} printed no JSON: {out[:200]!r}.") from error


def _program() -> list[str]:
    """The harness of this Python; by its wrapper, which names the pinned parts, where the environment names none."""
    wrapper = Path(sys.prefix, "bin", "harness")
    if "HARNESS_RUNTIME" not in os.environ and wrapper.is_file():
        return [str(wrapper)]
    return [sys.executable, "-I", "-m", "harness.cli"]


def _can_be_given(word: str) -> bool:
    try:
        return b"\0" not in os.fsencode(word)
    except UnicodeEncodeError:
        return False


def _nobody(_: str) -> None:
    pass
