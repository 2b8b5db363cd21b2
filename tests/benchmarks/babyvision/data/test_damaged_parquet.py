"""Each kind of damage to a parquet is refused, with the column, or the row and the field."""

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as arrow
import pytest
from pyarrow import parquet

from harness.benchmarks.babyvision.data import parquets
from harness.benchmarks.babyvision.data.importing import OFFICIAL, Expected, add
from harness.benchmarks.babyvision.data.installed import Place
from harness.errors import UsageError
from tests.benchmarks.babyvision.data.conftest import Files
from tests.benchmarks.babyvision.synthetic import SCHEMA, Fields, picture, rows, write_parquet

ROWS = rows()[132:138]  # three choices with the ids 868 to 866, three blanks with 865 to 863
ANY = Expected(structure=None)


def refused(place: Place, path: Path, expected: Expected = ANY) -> str:
    with pytest.raises(UsageError) as caught:
        add(place, path, expected)
    assert place.open() is None
    assert not place.record("parquet").exists()
    return str(caught.value)


@pytest.mark.parametrize("column", SCHEMA.names)
def test_a_missing_column_is_named(place: Place, tmp_path: Path, column: str) -> None:
    schema = SCHEMA.remove(SCHEMA.get_field_index(column))
    message = refused(place, write_parquet(tmp_path / "bad.parquet", ROWS, schema))
    assert f"{tmp_path / 'bad.parquet'} lacks the column {column}" in message


def retyped(column: str, kind: Any) -> Any:
    return SCHEMA.set(SCHEMA.get_field_index(column), arrow.field(column, kind))


@pytest.mark.parametrize(
    ("column", "kind", "value"),
    [
        ("taskId", arrow.string(), "868"),
        ("type", arrow.int64(), 1),
        ("subtype", arrow.list_(arrow.string()), ["Maze"]),
        ("question", arrow.binary(), b"?"),
        ("ansType", arrow.bool_(), True),
        ("options", arrow.string(), "one"),
        ("options", arrow.list_(arrow.int64()), [1, 2]),
        ("choiceAns", arrow.string(), "1"),
        ("blankAns", arrow.float64(), 1.0),
        ("coT", arrow.int64(), 1),
    ],
)
def test_a_column_of_the_wrong_type_is_named(
    place: Place, tmp_path: Path, column: str, kind: Any, value: object
) -> None:
    bad = write_parquet(tmp_path / "bad.parquet", [{**row, column: value} for row in ROWS], retyped(column, kind))
    assert f"has the column {column} of type {str(kind).partition('<')[0]}" in refused(place, bad)


def test_an_image_column_that_holds_only_bytes_is_named(place: Place, tmp_path: Path) -> None:
    fields = [{name: value for name, value in row.items() if name != "image"} for row in ROWS]
    table = arrow.Table.from_pylist(fields).append_column("image", arrow.array([b"x"] * len(ROWS)))
    parquet.write_table(table, tmp_path / "bad.parquet")
    assert "has the column image of type binary" in refused(place, tmp_path / "bad.parquet")


def changed(index: int, **fields: Any) -> list[Fields]:
    made = [dict(row) for row in ROWS]
    made[index] |= fields
    return made


@pytest.mark.parametrize(
    ("damaged", "said"),
    [
        (changed(1, taskId=None), "row 2: taskId:"),
        (changed(1, taskId=-3), "row 2 (taskId -3): taskId:"),
        (changed(2, taskId=868), "row 3 (taskId 868): taskId: an earlier row has the same"),
        (changed(0, type=None), "row 1 (taskId 868): type:"),
        (changed(0, question=None), "row 1 (taskId 868): question:"),
        (changed(0, options=None), "row 1 (taskId 868): options:"),
        (changed(0, options=["one", None]), "row 1 (taskId 868): options[1]:"),
        (changed(1, choiceAns=9), "row 2 (taskId 867): choiceAns:"),
        (changed(1, choiceAns=None), "row 2 (taskId 867): choiceAns:"),
        (changed(3, blankAns=None), "row 4 (taskId 865): blankAns:"),
        (changed(3, ansType="essay"), "row 4 (taskId 865): ansType:"),
        (changed(2, image=None), "row 3 (taskId 866): image: holds no bytes"),
        (changed(2, image=b""), "row 3 (taskId 866): image:"),
        (changed(2, image=b"no picture"), "row 3 (taskId 866): image: is no PNG, JPEG"),
        (changed(2, image=picture(1, "PNG")[:-30]), "row 3 (taskId 866): image: can't be decoded"),
        (changed(2, image=picture(1, "PNG", "1", (20_000, 1))), "row 3 (taskId 866): image: is 20000 x 1 pixels"),
    ],
)
def test_a_damaged_row_is_named_with_its_field(place: Place, tmp_path: Path, damaged: list[Fields], said: str) -> None:
    message = refused(place, write_parquet(tmp_path / "bad.parquet", damaged))
    assert f"{tmp_path / 'bad.parquet'}, {said}" in message
    assert "gold" not in message


# floating point is how pandas writes whole numbers with gaps
@pytest.mark.parametrize("kind", [arrow.int8(), arrow.int32(), arrow.float64()], ids=str)
def test_whole_numbers_may_be_of_any_width(place: Place, tmp_path: Path, kind: Any) -> None:
    path = write_parquet(tmp_path / "good.parquet", ROWS, retyped("choiceAns", kind))
    assert add(place, path, ANY).data.puzzles["867"].gold == "B"


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda rows: rows[:-1], "has 387 rows; BabyVision has 388"),
        (lambda rows: [*rows, {**rows[0], "taskId": 1}], "has 389 rows; BabyVision has 388"),
        (lambda rows: [{**rows[0], "type": "Maze"}, *rows[1:]], "162 rows have type 'Fine-grained Discrimination'"),
        (
            lambda rows: [{**rows[0], "ansType": "blank", "blankAns": "x"}, *rows[1:]],
            "254 rows have ansType 'blank'; BabyVision has 253",
        ),
        (lambda rows: [{**rows[0], "subtype": "new"}, *rows[1:]], "subtype has 23 different values"),
        (lambda rows: [{**row, "subtype": row["type"]} for row in rows], "subtype has 4 different values"),
    ],
)
def test_other_counts_than_babyvisions_are_named(
    whole: Files, place: Place, tmp_path: Path, damage: Callable[[list[Fields]], list[Fields]], said: str
) -> None:
    assert said in refused(place, write_parquet(tmp_path / "bad.parquet", damage(whole.rows)), OFFICIAL)


@pytest.mark.parametrize(
    ("constant", "value", "said"),
    [("ROWS_MAX", 5, "has 6 rows"), ("UNPACKED_MAX", 100, "has a row group, 0, that unpacks to")],
)
def test_what_would_unpack_to_too_much_is_refused(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, constant: str, value: int, said: str
) -> None:
    monkeypatch.setattr(parquets, constant, value)
    assert said in refused(place, write_parquet(tmp_path / "bomb.parquet", ROWS))


@pytest.mark.parametrize("keep", [0.1, 0.5, 0.99])
def test_a_cut_file_is_a_message(place: Place, tmp_path: Path, keep: float) -> None:
    path = write_parquet(tmp_path / "bad.parquet", ROWS)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * keep)])
    assert f"{path} is a damaged parquet" in refused(place, path)


@pytest.mark.parametrize("seed", range(20))
def test_changed_bytes_are_a_message_or_no_change(place: Place, tmp_path: Path, seed: int) -> None:
    path = write_parquet(tmp_path / "bad.parquet", ROWS)
    data = bytearray(path.read_bytes())
    for step in range(8):
        data[(seed * 7919 + step * 104_729) % len(data)] ^= 1 + seed
    path.write_bytes(data)
    with contextlib.suppress(UsageError):  # any other exception is a failure
        assert len(add(place, path, ANY).data.puzzles) == 6
