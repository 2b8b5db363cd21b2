"""A data set that is ready to be asked: its puzzles, and its images wherever they are kept."""

from collections.abc import Iterable, Mapping
from typing import Protocol

import attrs

from harness.benchmarks.babyvision.puzzle import Puzzle, task_set_digest
from harness.errors import StoreCorruptError, UsageError
from harness.store.digests import Digest


class Images(Protocol):
    """Where images are kept, such as `harness.store.blobs.Blobs`."""

    def get(self, name: Digest) -> bytes:
        """The image of this digest; raises StoreCorruptError when it is missing or damaged."""


@attrs.frozen
class DataSet:
    """``puzzles`` by task id, in ascending order of the number; ``images`` are read when they are asked for."""

    puzzles: Mapping[str, Puzzle] = attrs.field(repr=False)
    digest: Digest
    images: Images = attrs.field(repr=False)

    @classmethod
    def of(cls, puzzles: Iterable[Puzzle], images: Images) -> "DataSet":
        """A data set of these puzzles, in any order; raises UsageError where two have one task id."""
        by_id: dict[str, Puzzle] = {}
        for puzzle in sorted(puzzles, key=lambda puzzle: puzzle.task_id):
            if str(puzzle.task_id) in by_id:
                raise UsageError(f"Two BabyVision rows have the taskId {puzzle.task_id}; it must be unique.")
            by_id[str(puzzle.task_id)] = puzzle
        return cls(by_id, task_set_digest(by_id.values()), images)

    def image(self, puzzle: Puzzle) -> bytes:
        """The image of one of the puzzles, checked by its digest; raises StoreCorruptError."""
        try:
            return self.images.get(puzzle.image)
        except StoreCorruptError as error:
            raise StoreCorruptError(
                f"The image of the task {puzzle.task_id} is missing or damaged in the installed data set "
                f"(SHA-256 {puzzle.image}). Put it right with: harness data add FILE"
            ) from error
