"""A run folder from Python: reading it, and the commands that check, carry or change it."""

import os
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Unpack

import attrs

from harness.api.child import command
from harness.api.settings import PathLike, Settings, operand, options
from harness.api.values import Rollout, Summary
from harness.errors import EXIT_COVERAGE, EXIT_OK

if TYPE_CHECKING:
    import pyarrow as pa

    from harness.report import show_rollout
    from harness.run.rows import Looked

Format: TypeAlias = Literal["gym", "parquet", "jsonl"]


def open_run(path: PathLike, *, scorer: str | None = None) -> "Run":
    """Open a run folder; ``scorer`` is how a scorer's name begins, None for the one that the run is graded by.

    Raises UsageError where there is no such run or scorer, StoreCorruptError for damage.
    """
    run = Run(Path(path), scorer)
    _ = run.looked
    return run


@attrs.frozen(slots=False)
class Run:
    """A run folder. It is read once and as late as possible: open it again after something has changed it.

    What reads raises StoreCorruptError, with the path, for damage. What runs a command raises the error of its exit
    status: UsageError, HostUnfitError, CheckFailedError or HarnessError, with what it said.
    """

    path: Path
    scorer: str | None = None

    @cached_property
    def looked(self) -> "Looked":
        """The folder as the harness reads it."""
        from harness.run.rows import Looked  # with what reads records, which takes a while to import

        return Looked.open(self.path, self.scorer)

    @cached_property
    def _rollouts(self) -> tuple[Rollout, ...]:
        return tuple(Rollout.of(self.looked, row) for row in self._rows)

    @cached_property
    def _rows(self) -> tuple[Any, ...]:
        return tuple(self.looked.rows())

    @cached_property
    def summary(self) -> Summary:
        """Its figures, from its records and scores."""
        return Summary.of(self.looked.about(self._rows))

    def rollouts(self) -> Iterator[Rollout]:
        """Every planned rollout, by task in the benchmark's order and then by repeat."""
        return iter(self._rollouts)

    def rollout(self, task: str, repeat: int = 0) -> Rollout:
        """One of them; raises UnknownNameError for a task that isn't planned, UsageError for another repeat."""
        from harness.report.show_rollout import item

        wanted = item(self.looked, task, repeat)
        return next(one for one in self._rollouts if (one.task, one.repeat) == (wanted.task, wanted.repeat))

    def attempt(self, task: str, repeat: int = 0, attempt: str | None = None) -> "show_rollout.Rollout":
        """One attempt with its record and turns, by its number from 1 or the beginning of its name.

        None: the one that counts, else the last one. Raises as `rollout` does, UsageError where there is none.
        """
        from harness.report import show_rollout

        return show_rollout.find(self.looked, task, repeat, attempt)

    def show(self, task: str, repeat: int = 0, *, full: bool = False) -> str:
        """How a task went, as text for a terminal; ``full`` cuts no text. Raises as `attempt` does."""
        return self.rollout(task, repeat).show(full=full)

    def table(self) -> "pa.Table":
        """A row for each planned rollout, with the columns of docs/export.md."""
        from harness.report.export import table
        from harness.report.export.source import Source

        return table.read(Source.open(self.path, self.scorer))

    def rescore(
        self,
        *,
        check: bool = False,
        judge: Literal["recorded", "failed", "live"] = "recorded",
        benchmark: PathLike | None = None,
        **settings: Unpack[Settings],
    ) -> "Run":
        """Grade it again as ``harness rescore`` does; the run with its new scores.

        Args:
            check: write nothing; CheckFailedError where a score or the summary isn't what is computed.
            judge: where its replies come from: the record; the judge where it failed; the judge for every answer.
            benchmark: the file of one's own benchmark.
            settings: the judge's, where another one is to grade.
        """
        words = [f"--judge={judge}", *(["--check"] if check else []), *options(settings)]
        words += [] if benchmark is None else [f"--benchmark={os.fspath(benchmark)}"]
        self._command("rescore", *words, expected=(EXIT_OK, EXIT_COVERAGE))
        return open_run(self.path)

    def verify(self, *, egress: bool = False) -> Mapping[str, Any]:
        """Check every byte and reference; ``egress``: also what each sandbox sent. CheckFailedError for damage."""
        found: Mapping[str, Any] = self._command("verify", *(["--egress"] if egress else []))
        return found

    def report(self, path: PathLike | None = None, *, force: bool = False) -> Path:
        """Write the report, one HTML file, and give its path: RUN/report.html for None.

        UsageError where another file stands there, unless ``force`` lets it go.
        """
        return Path(self._command("report", *_to(path, force=force))["path"])

    def archive(self, path: PathLike) -> Path:
        """Write the run into one file, an OCI artifact, and give its path."""
        self._command("archive", operand(path))
        return Path(path)

    def export(self, form: Format, path: PathLike | None = None, *, force: bool = False) -> tuple[Path, ...]:
        """Write it for other tools (docs/export.md) and give the files; ``path`` is None for the usual place.

        UsageError where another file stands there, unless ``force`` lets it go.
        """
        written = self._command("export", f"--format={form}", *_to(path, force=force))
        return tuple(Path(file["path"]) for file in written["files"])

    def _command(self, name: str, *words: str, expected: tuple[int, ...] = (EXIT_OK,)) -> Any:
        return command([name, operand(self.path), *words], expected=expected)


def _to(path: PathLike | None, *, force: bool) -> list[str]:
    return [*([] if path is None else [f"--out={os.fspath(path)}"]), *(["--force"] if force else [])]
