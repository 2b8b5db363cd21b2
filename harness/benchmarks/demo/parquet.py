"""The demo's puzzles as a real parquet file in BabyVision's own schema: the same bytes on every machine for a seed."""

from collections.abc import Iterable
from pathlib import Path

from harness.benchmarks.babyvision.rows import Row


def write(path: Path, rows: Iterable[Row]) -> None:
    """Write the rows as Hugging Face's ``datasets`` lays them out; raises OSError."""
    import pyarrow as arrow  # only the demo writes one
    from pyarrow import parquet

    image = arrow.struct([("bytes", arrow.binary()), ("path", arrow.string())])
    schema = arrow.schema(
        [
            ("taskId", arrow.int64()),
            ("type", arrow.string()),
            ("subtype", arrow.string()),
            ("image", image),
            ("question", arrow.string()),
            ("ansType", arrow.string()),
            ("options", arrow.list_(arrow.string())),
            ("choiceAns", arrow.int64()),
            ("blankAns", arrow.string()),
            ("coT", arrow.string()),
        ]
    )
    table = arrow.Table.from_pylist([_fields(row) for row in rows], schema=schema)
    # 100 rows a group and snappy, as `datasets` writes files with images
    parquet.write_table(table, path, row_group_size=100, compression="snappy")


def _fields(row: Row) -> dict[str, object]:
    fields = row.model_dump(by_alias=True)
    return {**fields, "image": {"bytes": row.image, "path": None}, "options": list(row.options)}
