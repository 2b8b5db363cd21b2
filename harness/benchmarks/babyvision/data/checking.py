"""Checking without installing: a file against what the data must be, an installed data set against its digests."""

from pathlib import Path

import attrs

from harness.benchmarks.babyvision.data.dataset import DataSet
from harness.benchmarks.babyvision.data.files import Kind, check_unchanged, check_zip, opened
from harness.benchmarks.babyvision.data.importing import OFFICIAL, Expected, load
from harness.benchmarks.babyvision.data.installed import Installed, Place
from harness.errors import StoreCorruptError
from harness.store.digests import Digest, digest


@attrs.frozen
class Checked:
    """A file that is BabyVision's data."""

    kind: Kind
    sha256: Digest
    size: int  # bytes
    data: DataSet = attrs.field(repr=False)  # without its images


def check_file(place: Place, path: Path, expected: Expected = OFFICIAL) -> Checked:
    """Read a whole file and keep nothing; raises UsageError that says what is wrong with it."""
    with opened(path) as source:
        check_zip(source, expected.zip_sha256)
        puzzles = load(source, expected, digest)
        check_unchanged(source)
        return Checked(source.kind, source.sha256, source.size, DataSet.of(puzzles, place.blobs))


def damage(installed: Installed) -> list[str]:
    """Hash each image again; what is missing or changed, a line each. The rows were checked when it was opened."""
    problems = []
    for puzzle in installed.data.puzzles.values():
        try:
            installed.data.image(puzzle)
        except StoreCorruptError as error:
            problems.append(str(error))
    records = [(installed.place.record(origin.kind), origin.task_set) for origin in installed.origins]
    wrong = [f"{path} names another task set: {named}." for path, named in records if named != installed.data.digest]
    return problems + wrong
