"""The demo's parquet: real, in BabyVision's schema, the same bytes each time."""

from collections import Counter
from pathlib import Path

import pytest
from pyarrow import parquet as reader

from harness.agents.task import image_suffix
from harness.benchmarks.demo import parquet
from harness.benchmarks.demo.puzzles import rows
from harness.errors import HarnessError
from harness.store.digests import file_digest
from tests.benchmarks.babyvision.synthetic import SCHEMA, TYPES


def test_a_seed_gives_the_same_bytes_each_time(tmp_path: Path) -> None:
    names = ["one", "two", "three"]
    for name, seed in zip(names, (1, 1, 2), strict=True):
        parquet.write(tmp_path / name, rows(seed))
    one, two, three = (file_digest(tmp_path / name) for name in names)
    assert one == two
    assert one != three


def test_its_columns_are_babyvisions(tmp_path: Path) -> None:
    parquet.write(tmp_path / "demo.parquet", rows(1))
    assert reader.read_schema(tmp_path / "demo.parquet").equals(SCHEMA)


def test_what_is_loaded_is_what_was_drawn_and_covers_what_a_demo_must_show(tmp_path: Path) -> None:
    data = parquet.prepare(tmp_path, 1, 12).opened().data
    puzzles = data.puzzles.values()
    assert [data.image(puzzle) for puzzle in puzzles] == [row.image for row in rows(1)]
    assert [puzzle.gold for puzzle in puzzles] == [row.gold for row in rows(1)]
    assert {puzzle.type for puzzle in puzzles} == set(TYPES)
    assert len({puzzle.subtype for puzzle in puzzles}) >= 6
    assert Counter(puzzle.ans_type for puzzle in puzzles) == {"blank": 6, "choice": 6}
    assert Counter(image_suffix(data.image(puzzle)) for puzzle in puzzles) == {"png": 8, "jpg": 4}


def test_where_it_cannot_be_written_it_is_said(tmp_path: Path) -> None:
    (tmp_path / "demo.parquet").mkdir()
    with pytest.raises(HarnessError, match=r"demo's puzzles could not be made\..*demo\.parquet"):
        parquet.prepare(tmp_path, 1, 1)
