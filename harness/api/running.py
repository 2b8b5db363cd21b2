"""Running a benchmark from Python."""

import os
from typing import Unpack

from harness.api.child import Hears, command
from harness.api.runs import Run, open_run
from harness.api.settings import Settings, operand, options
from harness.errors import EXIT_COVERAGE, EXIT_OK


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
    words = ["eval", operand(benchmark), *([f"--config={os.fspath(config)}"] if config is not None else [])]
    done = command([*words, *options(settings)], progress, [EXIT_OK, EXIT_COVERAGE])
    return open_run(done["run"])
