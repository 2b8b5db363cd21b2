"""Reading BabyVision's parquet, one row at a time: the images of a row group are never all held as Python objects."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from harness.benchmarks.babyvision.data.files import Source
from harness.benchmarks.babyvision.rows import Row, named, read_row
from harness.errors import UsageError

ROWS_MAX: Final = 10_000
UNPACKED_MAX: Final = 256 << 20  # bytes of a row group; Hugging Face writes 100 rows, here 13 MB, into one


def read(source: Source) -> Iterator[tuple[str, Row]]:
    """The rows with their place in words, in the order of the file.

    Raises UsageError that names the column, or the row and field.
    """
    import pyarrow as arrow  # a run over an installed set does without
    from pyarrow import parquet

    try:
        table = parquet.ParquetFile(
            source.file,
            memory_map=False,
            pre_buffer=False,
            thrift_string_size_limit=16 << 20,
            thrift_container_size_limit=1 << 20,
        )
        _check_columns(source.name, table.schema_arrow, arrow)
        _check_size(source.name, table.metadata)
        rows = table.iter_batches(batch_size=1, columns=list(_TYPES), use_threads=False)
        for number, batch in enumerate(rows, 1):
            (fields,) = batch.to_pylist()
            where = f"{source.name}, row {number}"
            yield where, _row(where, fields)
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{source.name} is a damaged parquet: {str(error).splitlines()[0]}.") from None


def _row(where: str, fields: dict[str, Any]) -> Row:
    image = fields["image"] or {}
    if image.get("bytes") is None:
        raise UsageError(f"{named(where, fields)}: image: holds no bytes, only a path.")
    # a null in a list of texts is a wrong value, a null in place of the list is an empty one
    return read_row(where, {**fields, "image": image["bytes"], "options": fields["options"] or []})


def _check_columns(name: str, schema: Any, arrow: Any) -> None:
    for column, (wanted, fits) in _TYPES.items():
        if schema.get_all_field_indices(column) == []:
            raise UsageError(f"{name} lacks the column {column}; BabyVision has {', '.join(_TYPES)}.")
        if len(schema.get_all_field_indices(column)) > 1:
            raise UsageError(f"{name} has the column {column} twice.")
        found = schema.field(column).type
        if not fits(found, arrow.types):
            raise UsageError(f"{name}: the column {column} is of type {found}, expected is {wanted}.")


def _check_size(name: str, metadata: Any) -> None:
    if metadata.num_rows > ROWS_MAX:
        raise UsageError(f"{name} has {metadata.num_rows:,} rows; BabyVision has 388.")
    for index in range(metadata.num_row_groups):
        group = metadata.row_group(index)
        unpacked = sum(group.column(column).total_uncompressed_size for column in range(group.num_columns))
        if unpacked > UNPACKED_MAX:
            raise UsageError(f"{name}: the row group {index} unpacks to {unpacked:,} bytes; BabyVision's all to 52 MB.")


def _is_text(kind: Any, types: Any) -> bool:
    return bool(types.is_string(kind) or types.is_large_string(kind))


def _is_index(kind: Any, types: Any) -> bool:
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_null(kind))


def _is_image(kind: Any, types: Any) -> bool:
    parts = {kind.field(i).name: kind.field(i).type for i in range(kind.num_fields)} if types.is_struct(kind) else {}
    data = parts.get("bytes")
    return data is not None and bool(types.is_binary(data) or types.is_large_binary(data))


def _is_texts(kind: Any, types: Any) -> bool:
    if not (types.is_list(kind) or types.is_large_list(kind)):
        return types.is_null(kind) is True
    return _is_text(kind.value_type, types) or types.is_null(kind.value_type) is True


def _is_text_or_null(kind: Any, types: Any) -> bool:
    return _is_text(kind, types) or types.is_null(kind) is True


# Column -> what is expected, in words and as a check.
_TYPES: Final[dict[str, tuple[str, Callable[[Any, Any], bool]]]] = {
    "taskId": ("a whole number", lambda kind, types: bool(types.is_integer(kind))),
    "type": ("text", _is_text),
    "subtype": ("text", _is_text),
    "image": ("a struct with the binary field bytes", _is_image),
    "question": ("text", _is_text),
    "ansType": ("text", _is_text),
    "options": ("a list of texts", _is_texts),
    "choiceAns": ("a number", _is_index),
    "blankAns": ("text", _is_text_or_null),
    "coT": ("text", _is_text_or_null),
}
