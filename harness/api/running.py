"""Running the harness's commands, each in a process of its own: this one enters no namespace and starts no sandbox."""

import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias, Unpack

from harness.api.runs import Run, open_run
from harness.api.settings import Settings, options
from harness.errors import EXIT_COVERAGE, EXIT_OK, HarnessError
from harness.run.reproduce import commands

#: Is given each line that a command says, without its end.
Hears: TypeAlias = Callable[[str], None]


def evaluate(
    benchmark: str | os.PathLike[str],
    *,
    config: str | os.PathLike[str] | None = None,
    progress: Hears | None = None,
    **settings: Unpack[Settings],
) -> Run:
    """Run a benchmark, new or resumed, as ``harness eval`` does, and open the run.

    Ctrl-C once finishes what runs, twice stops now; then KeyboardInterrupt comes, and the same call with the same
    ``run`` goes on. A run that could not measure everything is no error: look at its summary's ``coverage``.

    Args:
        benchmark: ``babyvision``, ``babyvision-question-only``, or the path of one's own file, which ends with ``.py``.
        config: a TOML file with settings.
        progress: is given each line of progress, such as ``print``; nothing is said without it.
        settings: by the names of `Settings`; the environment counts as for the command. Keys come from
            ``POLICY_API_KEY`` and ``JUDGE_API_KEY`` in it, or from files.

    Raises:
        UsageError: a setting, a file or an endpoint's refusal. HostUnfitError: the machine lacks something.
        StoreCorruptError or CheckFailedError: bytes are damaged. HarnessError: anything else; the text is what the
        command said.
    """
    words = ["eval", os.fspath(benchmark), *([f"--config={os.fspath(config)}"] if config is not None else [])]
    done = command([*words, *options(settings)], progress, [EXIT_OK, EXIT_COVERAGE])
    return open_run(done["run"])


def command(words: Sequence[str], progress: Hears | None = None, expected: Sequence[int] = (EXIT_OK,)) -> Any:
    """The JSON object that a command prints; raises as `evaluate` does for an exit status that isn't ``expected``."""
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


def _nobody(_: str) -> None:
    pass
