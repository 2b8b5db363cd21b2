"""Hostile files at ``harness data check``: the ZIP is one whose digest is taken for the authors'."""

import io
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.benchmarks.babyvision.synthetic import rows, write_parquet, write_zip
from tests.hostile.conftest import Reader
from tests.hostile.trees import Case

ROWS = rows()[132:138]
IMAGE = "babyvision_data/images/x.png"


def member(name: str = IMAGE, data: bytes = b"", mode: int = 0o100644) -> Callable[[Path], Any]:
    """The ZIP with one more member."""
    info = zipfile.ZipInfo(name)
    info.external_attr, info.compress_type = mode << 16, zipfile.ZIP_DEFLATED
    return lambda path: write_zip(path, ROWS, {info: data})


def bomb(path: Path) -> None:
    """A member of 600 MiB."""
    member(data=bytes(600 << 20))(path)


def lying(path: Path) -> None:
    """The table of contents says that an image has 1,000 bytes; what is there unpacks to 100 MB."""
    write_zip(path, [{**ROWS[0], "image": bytes(100 << 20)}])
    data = bytearray(path.read_bytes())
    at = data.rindex(b"babyvision_data/images/0.png") - 46
    assert data[at : at + 4] == b"PK\x01\x02"
    data[at + 24 : at + 28] = struct.pack("<I", 1000)
    path.write_bytes(data)


def crowded(path: Path) -> None:
    """A table of contents of a million members, 50 MB: 600 MB for whoever reads it."""
    name = b"babyvision_data/x"
    head = struct.pack("<4s6H3I5H2I", b"PK\x01\x02", 20, 20, 0, 0, 0, 0, 0, 0, 0, len(name), 0, 0, 0, 0, 0, 0)
    directory = (head + name) * 1_000_000
    end = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, 65535, 65535, len(directory), 4, 0)
    path.write_bytes(b"PK\x03\x04" + directory + end)


def wide(path: Path) -> None:
    """A picture of 256 million pixels, a GB, in a hundred bytes."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">2I5B", 16_000, 16_000, 8, 6, 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")
    write_parquet(path, [{**ROWS[0], "image": png}])


def large_tiff(path: Path) -> None:
    """12 million pixels of four bytes, which become PNG."""
    made = io.BytesIO()
    Image.new("RGBA", (4000, 3000), (1, 2, 3, 4)).save(made, "TIFF", compression="tiff_lzw")
    write_parquet(path, [{**ROWS[0], "image": made.getvalue()}])


CASES: dict[str, Case] = {
    "a ZIP as it should be": Case(lambda path: write_zip(path, ROWS), read=6),
    "a parquet as it should be": Case(lambda path: write_parquet(path, ROWS), read=6),
    "a member that leads out": Case(member("../x"), "lies outside of the archive's own folder"),
    "an absolute member": Case(member("/etc/cron.d/x"), "lies outside"),
    "a symbolic link": Case(member(data=b"/etc/passwd", mode=stat.S_IFLNK | 0o777), "is a link or a special file"),
    "a device": Case(member(mode=stat.S_IFCHR | 0o666), "is a link or a special file"),
    "a member of 600 MiB of zeros": Case(bomb, "unpacks to 629,"),
    "a member of 100 MiB that says 1,000 bytes": Case(lying, "is damaged: Bad CRC-32"),
    "a table of contents of a million members": Case(crowded, "has a table of contents of 63,000,000 bytes"),
    "a picture of 256 million pixels": Case(wide, "has too many pixels; at most 12,000,000"),
    "a TIFF of 12 million pixels": Case(large_tiff, read=1),
}


@pytest.mark.parametrize("name", CASES)
def test_a_data_file(read: Reader, tmp_path: Path, name: str) -> None:
    case, path = CASES[name], tmp_path / "file"
    case.make(path)
    found = read("data", path)
    if case.refused:
        assert re.search(case.refused, found["refused"])
        assert found["status"] == 2
    else:
        assert found["read"] == case.read
