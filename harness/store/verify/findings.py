"""What is found while a run folder is checked, so that one damage is named once."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import attrs

from harness.errors import StoreCorruptError
from harness.store import reading
from harness.store.digests import Digest, file_digest
from harness.store.runfolder import RunFolder


@attrs.define
class Findings:
    """Filled by one check after another."""

    problems: list[str] = attrs.field(factory=list)
    blobs: set[Digest] = attrs.field(factory=set)  # that are there
    damaged: set[Digest] = attrs.field(factory=set)  # blobs that were named as problems already
    named: set[Digest] = attrs.field(factory=set)  # blobs that something names
    bad: set[Path] = attrs.field(factory=set)  # other files that were named as problems already
    counted: set[tuple[str, int]] = attrs.field(factory=set)  # tasks and repeats with a file in done/
    attempts: int = 0
    unpublished: int = 0

    @contextlib.contextmanager
    def noted(self, path: Path | None = None) -> Iterator[None]:
        """Turn damage into a problem; ``path`` is then known to be bad."""
        try:
            yield
        except StoreCorruptError as error:
            self.problems.append(str(error))
            if path is not None:
                self.bad.add(path)

    def names(self, run: RunFolder, who: Path, blobs: set[Digest]) -> bool:
        """Note that a file names these blobs; whether all of them are there and whole."""
        self.named |= blobs
        for blob in sorted(blobs - self.blobs - self.damaged):
            if run.blobs.has(blob) and file_digest(run.blobs.path(blob), reading.BLOB_MAX) == blob:
                self.blobs.add(blob)  # somebody wrote it after the blobs were listed
                continue
            self.damaged.add(blob)
            self.problems.append(
                f"The blob {run.blobs.path(blob)} is missing; {who} names it. Restore it from a copy of the run."
            )
        return not blobs & self.damaged
