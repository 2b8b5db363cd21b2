"""Reading BabyVision's parquet, one row at a time, through a process of its own."""

import json
import struct
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Final

from harness.benchmarks.babyvision.data import images
from harness.benchmarks.babyvision.data.files import Source
from harness.benchmarks.babyvision.rows import Row, named, read_row
from harness.errors import UsageError

ROWS_MAX: Final = 10_000
UNPACKED_MAX: Final = 256 << 20  # bytes of a row group; Hugging Face writes 100 rows, here 13 MB, into one
_TEXT_MAX: Final = 16 << 20  # bytes of a row's fields

_HELPER: Final = Path(__file__).with_name("parquet_helper.py")
# One allocator that gives memory back, and no thread pools: the process has a limit on its address space.
_ENVIRONMENT: Final = {"ARROW_DEFAULT_MEMORY_POOL": "system", "OMP_NUM_THREADS": "1"}


def read(source: Source) -> Iterator[tuple[str, Row]]:
    """The rows with their place in words, in the order of the file.

    Raises UsageError that names the column, or the row and field.
    """
    # The helper imports nothing of the harness; as a text, it is found wherever that is installed.
    command = [sys.executable, "-I", "-c", _HELPER.read_text(), str(ROWS_MAX), str(UNPACKED_MAX)]
    with subprocess.Popen(
        command, stdin=source.file, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=_ENVIRONMENT
    ) as process:
        try:
            assert process.stdout is not None
            yield from _rows(source.name, process.stdout)
        finally:
            process.kill()


def _rows(name: str, stream: IO[bytes]) -> Iterator[tuple[str, Row]]:
    number = 0
    while True:
        text = _text(name, number, stream)
        if "error" in text:
            raise UsageError(f"{name} {text['error']}.")
        if "rows" in text:
            return
        number += 1
        where = f"{name}, row {number}"
        yield where, _row(where, text["fields"], text["image"], stream)


def _row(where: str, fields: Mapping[str, Any], size: int | None, stream: IO[bytes]) -> Row:
    if size is None:
        raise UsageError(f"{named(where, fields)}: image: holds no bytes, only a path.")
    if size > images.BYTES_MAX:
        raise UsageError(f"{named(where, fields)}: image: has {size:,} bytes; at most {images.BYTES_MAX:,} are read.")
    image = stream.read(size)
    # a null in place of the list of options is an empty one
    return read_row(where, {**fields, "image": image, "options": fields["options"] or []})


def _text(name: str, number: int, stream: IO[bytes]) -> Mapping[str, Any]:
    """The next frame's text; its end before that is the helper's death, which only the file can have brought about."""
    head = stream.read(8)
    size = struct.unpack(">Q", head)[0] if len(head) == 8 else 0
    data = stream.read(size) if 0 < size <= _TEXT_MAX else b""
    if not data or len(data) < size:
        raise UsageError(f"{name} is a damaged parquet, after {number} whole rows: it can't be read.")
    text: Mapping[str, Any] = json.loads(data)
    return text
