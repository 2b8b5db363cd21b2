"""Reads a parquet in a process of its own: pyarrow aborts on some damaged files, and can be made to fill memory.

Standard input is the file. Standard output gets frames: the length of a JSON text and the text, then as many bytes of
an image as the text says. A text is a row (``fields``, and in ``image`` how many bytes follow), an ``error``, or at the
end the number of ``rows``.
"""

import json
import resource
import struct
import sys
from collections.abc import Callable
from typing import IO, Any

import pyarrow
from pyarrow import parquet, types

ADDRESS_SPACE = 3 << 30  # bytes, of which libraries and their threads take most
PROCESSOR = 120  # seconds; BabyVision's file takes less than one


class RefusedError(Exception):
    """The file isn't one of BabyVision's."""


def _is_text(kind: Any) -> bool:
    return bool(types.is_string(kind) or types.is_large_string(kind))


def _is_text_or_null(kind: Any) -> bool:
    return bool(_is_text(kind) or types.is_null(kind))


def _is_index(kind: Any) -> bool:
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_null(kind))


def _is_texts(kind: Any) -> bool:
    return bool((types.is_list(kind) or types.is_large_list(kind)) and _is_text_or_null(kind.value_type))


def _is_image(kind: Any) -> bool:
    parts = {kind.field(i).name: kind.field(i).type for i in range(kind.num_fields)} if types.is_struct(kind) else {}
    return "bytes" in parts and bool(types.is_binary(parts["bytes"]) or types.is_large_binary(parts["bytes"]))


# Column -> what is expected, in words and as a check.
COLUMNS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "taskId": ("a whole number", types.is_integer),
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


def check_columns(schema: Any) -> None:
    """Raise RefusedError, which names the column, if one is missing or of another type."""
    for column, (wanted, fits) in COLUMNS.items():
        places = schema.get_all_field_indices(column)
        if len(places) != 1:
            trouble = "lacks the column" if not places else "has more than once the column"
            raise RefusedError(f"{trouble} {column}; BabyVision has {', '.join(COLUMNS)}")
        found = schema.field(column).type
        if not fits(found):
            raise RefusedError(f"has the column {column} of type {found}; expected is {wanted}")


def check_size(metadata: Any, rows: int, unpacked: int) -> None:
    """Raise RefusedError for more rows, or more bytes in a row group."""
    if metadata.num_rows > rows:
        raise RefusedError(f"has {metadata.num_rows:,} rows; BabyVision has 388")
    for index in range(metadata.num_row_groups):
        group = metadata.row_group(index)
        size = sum(group.column(column).total_uncompressed_size for column in range(group.num_columns))
        if size > unpacked:
            raise RefusedError(f"has a row group, {index}, that unpacks to {size:,} bytes; BabyVision's all to 52 MB")


def send(target: IO[bytes], text: dict[str, Any], image: bytes | None = None) -> None:
    """Write one frame."""
    data = json.dumps({**text, "image": None if image is None else len(image)}).encode()
    target.write(struct.pack(">Q", len(data)) + data)
    target.write(image or b"")


def main(source: IO[bytes], target: IO[bytes], rows: int, unpacked: int) -> None:
    """Write every row as a frame, and at the end one that says how many there were."""
    number = 0
    try:
        table = parquet.ParquetFile(source, memory_map=False, pre_buffer=False)
        check_columns(table.schema_arrow)
        check_size(table.metadata, rows, unpacked)
        for batch in table.iter_batches(1, columns=list(COLUMNS), use_threads=False):
            (fields,) = batch.to_pylist()
            image = (fields.pop("image") or {}).get("bytes")
            send(target, {"fields": fields}, image)
            number += 1
        send(target, {"rows": number})
    except RefusedError as error:
        send(target, {"error": str(error)})
    except (pyarrow.ArrowException, OSError, ValueError, MemoryError) as error:
        reason = str(error).partition("\n")[0]
        send(target, {"error": f"is a damaged parquet, after {number} whole rows: {reason}"})


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR, PROCESSOR))
    # opened again, so as to have a position of its own in it
    with open("/dev/stdin", "rb") as file:  # noqa: PTH123 (a device, not a path)
        main(file, sys.stdout.buffer, int(sys.argv[1]), int(sys.argv[2]))
