"""From a file to an installed data set: everything is checked before the one small file that makes it visible."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import attrs

from harness.benchmarks.babyvision.data import images, parquets, zips
from harness.benchmarks.babyvision.data.dataset import DataSet
from harness.benchmarks.babyvision.data.files import ZIP_SHA256, Source, check_unchanged, check_zip, opened
from harness.benchmarks.babyvision.data.installed import Installed, Origin, Place, stored_rows
from harness.benchmarks.babyvision.data.structure import BABYVISION, Structure, check_structure
from harness.benchmarks.babyvision.puzzle import Puzzle
from harness.errors import StoreCorruptError, UsageError
from harness.store import atomic
from harness.store.batch import Batch
from harness.store.canonical import dumps
from harness.store.digests import Digest, digest
from harness.store.space import check_space

_SPARE: Final = 64 << 20  # bytes of free space beside the data itself
_READERS: Final = {"zip": zips.read, "parquet": parquets.read}


@attrs.frozen
class Expected:
    """What a file must be: the digest of the only ZIP that is taken, and how many rows of each kind (None: any)."""

    zip_sha256: Digest = ZIP_SHA256
    structure: Structure | None = BABYVISION


OFFICIAL: Final = Expected()


def add(place: Place, path: Path, expected: Expected = OFFICIAL) -> Installed:
    """Check a ZIP or parquet and install it; what is damaged of an installed data set is written again.

    Raises UsageError for a file that is not the data, or not the one that is recorded; NoSpaceError or HarnessError
    where it can't be kept. Nothing is visible then, and an installed data set is as before.
    """
    with opened(path) as source:
        return add_source(place, source, expected)


def use(place: Place, path: Path, expected: Expected = OFFICIAL) -> Installed:
    """The installed data set if it came from this very file, else `add`."""
    with opened(path) as source:
        check_zip(source, expected.zip_sha256)
        origin = place.origin(source.kind)
        known = origin is not None and origin.sha256 == source.sha256
        return place.opened() if known else add_source(place, source, expected)


def add_source(place: Place, source: Source, expected: Expected = OFFICIAL) -> Installed:
    """`add` for a file that is open."""
    check_zip(source, expected.zip_sha256)
    _check_recorded(place, source)
    check_space(place.folder, source.size + _SPARE)
    batch = Batch(place.blobs)
    data = DataSet.of(load(source, expected, batch.put), place.blobs)
    rows = stored_rows(data)
    origin = Origin(source.kind, source.sha256, source.size, digest(rows), data.digest)
    _check_same_tasks(place, origin, data)
    check_unchanged(source)
    batch.put(rows)
    batch.flush()
    record = dumps(origin.to_json())
    if not atomic.publish(place.record(source.kind), record):
        _check_recorded(place, source)  # another process may have been first, with another file
        atomic.write(place.record(source.kind), record)
    return place.opened()


def load(source: Source, expected: Expected, keep: Callable[[bytes], Digest]) -> tuple[Puzzle, ...]:
    """Read and check a whole file, one row at a time; ``keep`` gets each image and returns its digest.

    Raises UsageError, which names the row and the field.
    """
    puzzles: dict[int, Puzzle] = {}
    for where, row in _READERS[source.kind](source):
        place = f"{where} (taskId {row.task_id})"
        if row.task_id in puzzles:
            raise UsageError(f"{place}: taskId: an earlier row has the same; it must be unique.")
        try:
            image = images.accept(row.image)
        except ValueError as error:
            raise UsageError(f"{place}: image: {error}.") from None
        puzzles[row.task_id] = Puzzle.of(row, keep(image.data), image.original)
    if expected.structure is not None:
        check_structure(source.name, puzzles.values(), expected.structure)
    return tuple(puzzles.values())


def _check_recorded(place: Place, source: Source) -> None:
    origin = place.origin(source.kind)
    if origin is not None and origin.sha256 != source.sha256:
        raise UsageError(
            f"{source.name} is another {source.kind} than the one that was installed before: its SHA-256 is "
            f"{source.sha256}, recorded is {origin.sha256}. To forget the record: rm {place.record(source.kind)}"
        )


def _check_same_tasks(place: Place, origin: Origin, data: DataSet) -> None:
    """Both copies of the data must hold the same tasks; the first difference is named by task and field."""
    other = place.origin("parquet" if origin.kind == "zip" else "zip")
    if other is None or other.rows == origin.rows:
        return
    try:
        before = {str(puzzle.task_id): puzzle for puzzle in place.puzzles(other)}
    except StoreCorruptError:
        before = {}
    raise UsageError(
        f"This {origin.kind} holds other tasks than the installed data set, which came from a {other.kind} (SHA-256 "
        f"{other.sha256}): {_difference(before, data)}. To replace that one: rm {place.record(other.kind)}"
    )


def _difference(before: dict[str, Puzzle], data: DataSet) -> str:
    for task_id in sorted({*before, *data.puzzles}, key=int):
        if task_id not in before or task_id not in data.puzzles:
            return f"only one of them has the taskId {task_id}"
        then, now = attrs.asdict(before[task_id]), attrs.asdict(data.puzzles[task_id])
        fields = [field for field in now if now[field] != then[field]]
        if fields:
            return f"the task {task_id} differs in {', '.join(fields)}"
    return "their rows differ"
