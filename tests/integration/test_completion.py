"""Real shells at Tab, with the script that ``harness completion`` prints; shells that are not here are left out."""

import asyncio
import os
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from tests.integration.conftest import Harness

pytestmark = pytest.mark.integration

# What the shell does at Tab after these words: its completion function, called as it calls it.
BASH = """
eval "$(harness completion bash)"
complete -p harness > /dev/null
COMP_WORDS=({words}) COMP_CWORD={last} COMPREPLY=()
_harness_completion harness
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
FISH = "harness completion fish | source; complete --do-complete {line}"
# The two functions that would show what is offered are ours here; each is given the name of a list.
ZSH = """
autoload -Uz compinit; compinit -u -D
eval "$(harness completion zsh)"
compadd() {{ print -l -- ${{(P)@[-1]}}; }}
_describe() {{ print -l -- ${{(P)3}}; }}
words=({words}) CURRENT={current}
_harness_completion
"""


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A PATH on which this harness is a command of its own."""
    (tmp_path / "harness").write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -I -m harness.cli "$@"\n')
    (tmp_path / "harness").chmod(0o755)
    return f"{tmp_path}:{os.environ['PATH']}"


async def _asked(shell: str, path: str, *words: str) -> list[str]:
    """What the shell offers for the last word."""
    if shutil.which(shell, path=path) is None:
        pytest.skip(f"{shell} is not here")
    quoted = [shlex.quote(word) for word in words]
    texts = {"bash": BASH, "fish": FISH, "zsh": ZSH}
    script = texts[shell].format(
        words=" ".join(quoted),
        last=len(words) - 1,
        current=len(words),
        line=shlex.quote(" ".join(words)),
    )
    options = {"bash": ["--norc", "--noprofile"], "fish": ["--no-config"], "zsh": ["-f"]}[shell]
    process = await asyncio.create_subprocess_exec(
        *(shell, *options, "-c", script),
        env={**os.environ, "PATH": path},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert (process.returncode, err.decode()) == (0, "")
    return [line.split("\t")[0].split(":")[0] for line in out.decode().splitlines() if line]


@pytest.mark.parametrize("shell", ["bash", "fish", "zsh"])
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("harness", "ver"), ["verify"]),
        (("harness", "eval", "babyvision-"), ["babyvision-question-only"]),
        (("harness", "eval", "babyvision", "--policy-m"), ["--policy-model"]),
        (("harness", "config", "--section", "sa"), ["sampling", "sandbox"]),
    ],
    ids=["command", "benchmark", "option", "value"],
)
async def test_a_shell_offers_what_can_follow(
    shell: str, words: tuple[str, ...], offered: list[str], path: str
) -> None:
    assert sorted(await _asked(shell, path, *words)) == offered


async def test_bash_offers_the_tasks_of_a_real_run(harness: Harness, path: str, tmp_path: Path) -> None:
    done = await harness(
        "eval", "babyvision", "--demo", "--tasks", "1,11", "--jobs", "2", "--run", tmp_path / "R", "--json"
    )
    assert done.status == 0, done.said
    assert await _asked("bash", path, "harness", "show", str(tmp_path / "R"), "1") == ["1", "11"]
    assert await _asked("bash", path, "harness", "show", str(tmp_path / "R"), "--outcome", "") == ["answered"]
