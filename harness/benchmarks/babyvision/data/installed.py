"""The installed data set: a folder that holds the rows and images by content, and what they came from.

::

    DATA_DIR/babyvision/
      blobs/sha256/HEX     the images as an agent gets them; the rows as canonical JSON, with the right answers
      zip.json             written last: which file was read, and the digest of the rows that came of it
      parquet.json         the same of a parquet; it is also the record of the parquet's SHA-256

Two files beside each other say that both copies were read and hold the same tasks.
"""

from pathlib import Path
from typing import Final, get_args

import attrs

from harness.benchmarks.babyvision.data.dataset import DataSet
from harness.benchmarks.babyvision.data.files import Kind
from harness.benchmarks.babyvision.puzzle import Puzzle, from_stored, to_stored
from harness.errors import CanonicalError, StoreCorruptError, UsageError
from harness.store.blobs import Blobs
from harness.store.canonical import JSON, dumps, loads_strict
from harness.store.digests import Digest
from harness.store.fields import Fields

FORMAT: Final = 1


@attrs.frozen
class Origin:
    """Which file the data set was read from, and what came of it."""

    kind: Kind
    sha256: Digest
    size: int  # bytes
    rows: Digest  # of the blob that holds the rows
    task_set: Digest

    def to_json(self) -> dict[str, JSON]:
        return {"format": FORMAT, **attrs.asdict(self)}


@attrs.frozen
class Installed:
    """An installed data set, and the files that it came from: one or two."""

    data: DataSet = attrs.field(repr=False)
    origins: tuple[Origin, ...]
    place: "Place"

    @property
    def conversions(self) -> tuple[Puzzle, ...]:
        """The puzzles whose image was converted."""
        return tuple(puzzle for puzzle in self.data.puzzles.values() if puzzle.original is not None)


@attrs.frozen
class Place:
    """The folder ``DATA_DIR/babyvision``."""

    folder: Path

    @classmethod
    def of(cls, data_dir: Path) -> "Place":
        return cls(data_dir / "babyvision")

    @property
    def blobs(self) -> Blobs:
        return Blobs(self.folder / "blobs" / "sha256")

    def record(self, kind: Kind) -> Path:
        """The file that says what was read; deleting it forgets it."""
        return self.folder / f"{kind}.json"

    def origin(self, kind: Kind) -> Origin | None:
        """What is recorded of one kind of file; None if nothing is.

        Raises StoreCorruptError for a damaged record, UsageError for one that this user may not read.
        """
        path = self.record(kind)
        try:
            return _origin(kind, path.read_bytes())
        except FileNotFoundError:
            return None
        except (PermissionError, NotADirectoryError) as error:
            raise UsageError(
                f"The data folder {self.folder} can't be read by this user: {error.strerror}. Make it readable, or "
                "name another one: --data-dir, or HARNESS_DATA_DIR."
            ) from None
        except (OSError, CanonicalError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise StoreCorruptError(
                f"{path} is damaged: {reason} Delete it, then run: harness data add FILE"
            ) from error

    def open(self) -> Installed | None:
        """The installed data set, its rows checked by their digest; None if there is none.

        Raises StoreCorruptError where it is damaged, UsageError where the two origins hold different tasks.
        """
        origins = tuple(origin for kind in get_args(Kind) if (origin := self.origin(kind)) is not None)
        if not origins:
            return None
        if len({origin.rows for origin in origins}) > 1:
            paths = " and ".join(str(self.record(origin.kind)) for origin in origins)
            raise UsageError(f"{paths} name different tasks. Delete the one that is not wanted.")
        return Installed(DataSet.of(self.puzzles(origins[0]), self.blobs), origins, self)

    def opened(self) -> Installed:
        """`open` where there is a data set; raises StoreCorruptError if there is none."""
        installed = self.open()
        if installed is None:
            raise StoreCorruptError(f"The data set in {self.folder} is gone. Run: harness data add FILE")
        return installed

    def puzzles(self, origin: Origin) -> tuple[Puzzle, ...]:
        """The rows that came of a file; raises StoreCorruptError."""
        path = self.blobs.path(origin.rows)
        try:
            stored = loads_strict(self.blobs.get(origin.rows), canonical=True)
            return Fields({"rows": stored}, "the data set").items("rows", from_stored)
        except (StoreCorruptError, CanonicalError) as error:
            raise StoreCorruptError(
                f"The rows of the installed data set, {path}, are missing or damaged. "
                "Put it right with: harness data add FILE"
            ) from error


def stored_rows(data: DataSet) -> bytes:
    """The rows as a blob."""
    return dumps([to_stored(puzzle) for puzzle in data.puzzles.values()])


def _origin(kind: Kind, data: bytes) -> Origin:
    fields = Fields(loads_strict(data, canonical=True), "the record")
    if fields.integer("format") != FORMAT or fields.text("kind") != kind:
        raise CanonicalError("it is of another format.")
    origin = Origin(
        kind, fields.digest("sha256"), fields.integer("size"), fields.digest("rows"), fields.digest("task_set")
    )
    fields.end()
    return origin
