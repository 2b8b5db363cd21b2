"""The same made-up tasks as a ZIP and as a parquet, written once."""

from pathlib import Path

import attrs
import pytest

from harness.benchmarks.babyvision.data.importing import Expected
from harness.benchmarks.babyvision.data.installed import Place
from harness.benchmarks.babyvision.data.structure import BABYVISION, Structure
from harness.store.digests import file_digest
from tests.benchmarks.babyvision.synthetic import Fields, rows, write_parquet, write_zip

# Task ids whose picture is of a format that OpenCode doesn't pass on.
ODD = {1000: "BMP", 987: "TIFF", 740: "BMP"}


@attrs.frozen
class Files:
    """Both copies of the same tasks; ``expected`` takes this ZIP in place of the authors'."""

    rows: list[Fields]
    zip: Path
    parquet: Path
    expected: Expected


def written(folder: Path, fields: list[Fields], structure: Structure | None) -> Files:
    made = write_zip(folder / "made.zip", fields)
    return Files(fields, made, write_parquet(folder / "made.parquet", fields), Expected(file_digest(made), structure))


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """All 388."""
    return written(tmp_path_factory.mktemp("whole"), rows(ODD), BABYVISION)


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """Every thirteenth, for what doesn't depend on their number."""
    return written(tmp_path_factory.mktemp("few"), rows(ODD)[::13], None)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place.of(tmp_path / "data")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test here takes the power away, and flushes to a slow disk would be most of the time."""
    monkeypatch.setattr("os.fsync", lambda handle: None)
