"""Reading the authors' ZIP: one member at a time, nothing is unpacked to a disk."""

import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final

from harness.benchmarks.babyvision.data import images
from harness.benchmarks.babyvision.data.files import Source
from harness.benchmarks.babyvision.rows import Row, named, read_row
from harness.errors import CanonicalError, UsageError
from harness.store.canonical import loads_strict

TOP: Final = "babyvision_data"
TABLE: Final = f"{TOP}/meta_data.jsonl"
FOLDERS: Final = (TOP, f"{TOP}/images", "")  # where a row's image name may begin

DIRECTORY_MAX: Final = 1 << 20  # bytes of the table of contents: 1,300 for each of the authors' 784 members
MEMBERS_MAX: Final = 4_000  # the authors' has 784
TABLE_MAX: Final = 16 << 20  # bytes; the authors' has less than one million
UNPACKED_MAX: Final = 512 << 20  # bytes; the authors' has 51 million
# How the table of contents' end begins, and what stands before it where sizes have 64 bits; a comment may follow.
_END: Final = b"PK\x05\x06"
_END_64: Final = b"PK\x06\x07"
_END_MAX: Final = 22 + (1 << 16)
# Beside the data, what a macOS archiver adds of its own accord. None of it is read.
_PASSED_OVER: Final = (TOP, "__MACOSX")
# What zipfile and zlib raise for bytes that are no sound archive.
_DAMAGE: Final = (zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, OSError, EOFError, ValueError)


def read(source: Source) -> Iterator[tuple[str, Row]]:
    """The rows with their place in words, in the order of the table.

    Raises UsageError that names the member, or the line and field.
    """
    _check_directory(source)
    try:
        with zipfile.ZipFile(source.file) as archive:
            members = _members(source.name, archive.infolist())
            if TABLE not in members:
                raise UsageError(f"{source.name} lacks {TABLE}.")
            table = _bytes(source.name, archive, members[TABLE], TABLE_MAX)
            for number, line in enumerate(table.split(b"\n"), 1):
                where = f"{source.name}, {TABLE}, line {number}"
                if line.strip():
                    yield where, _row(archive, members, where, line)
    except _DAMAGE as error:
        raise UsageError(f"{source.name} is a damaged ZIP: {error}.") from None


def _check_directory(source: Source) -> None:
    """Refuse a ZIP with a huge table of contents before zipfile reads it: 46 bytes there take 600 in memory."""
    at = max(0, source.size - _END_MAX)
    source.file.seek(at)
    tail = source.file.read(_END_MAX)
    if _END_64 in tail:
        raise UsageError(f"{source.name} has sizes of 64 bits, which the authors' ZIP has not.")
    # Which of several ends counts is zipfile's to choose.
    for found in re.finditer(re.escape(_END), tail):
        size = int.from_bytes(tail[found.start() + 12 : found.start() + 16], "little")
        if size > DIRECTORY_MAX:
            raise UsageError(f"{source.name} has a table of contents of {size:,} bytes; {DIRECTORY_MAX:,} are read.")


def _members(name: str, infos: Sequence[zipfile.ZipInfo]) -> Mapping[str, zipfile.ZipInfo]:
    """The files by path; whatever could be unpacked to anywhere, or to more than is sound, is refused by name."""
    if len(infos) > MEMBERS_MAX:
        raise UsageError(f"{name} has {len(infos):,} members; the authors' ZIP has 784.")
    found: dict[str, zipfile.ZipInfo] = {}
    for info in infos:
        where = f"{name}: the member {info.filename!r}"
        path = PurePosixPath(info.filename)
        if path.is_absolute() or ".." in path.parts or "\\" in info.filename or not path.parts:
            raise UsageError(f"{where} lies outside of the archive's own folder.")
        if path.parts[0] not in _PASSED_OVER:
            raise UsageError(f"{where} doesn't belong into BabyVision's ZIP, which holds only {TOP}/.")
        if not (info.is_dir() or stat.S_IFMT(info.external_attr >> 16) in {0, stat.S_IFREG}):
            raise UsageError(f"{where} is a link or a special file.")
        if info.flag_bits & 1:
            raise UsageError(f"{where} is encrypted.")
        if str(path) in found:
            raise UsageError(f"{where} is there twice.")
        found[str(path)] = info
    unpacked = sum(info.file_size for info in infos)
    if unpacked > UNPACKED_MAX:
        raise UsageError(f"{name} unpacks to {unpacked:,} bytes; the authors' ZIP to 51,484,537.")
    return {path: info for path, info in found.items() if not info.is_dir()}


def _bytes(where: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo, most: int) -> bytes:
    """A member's bytes; zipfile gives no more than the size that the directory states, and checks the CRC."""
    where = f"{where}: the member {info.filename!r}"
    if info.file_size > most:
        raise UsageError(f"{where} has {info.file_size:,} bytes; at most {most:,} are read.")
    try:
        with archive.open(info) as member:
            data = member.read()
    except _DAMAGE as error:
        raise UsageError(f"{where} is damaged: {error}.") from None
    if len(data) != info.file_size:
        raise UsageError(f"{where} is damaged: it has {len(data):,} of {info.file_size:,} bytes.")
    return data


def _row(archive: zipfile.ZipFile, members: Mapping[str, zipfile.ZipInfo], where: str, line: bytes) -> Row:
    try:
        fields = loads_strict(line)
    except CanonicalError as error:
        raise UsageError(f"{where}: {error}") from None
    if not isinstance(fields, Mapping):
        raise UsageError(f"{where}: this is no JSON object.")
    image = fields.get("image")
    if not isinstance(image, str):
        raise UsageError(f"{named(where, fields)}: image: must be the name of a file.")
    info = next((members[path] for path in _candidates(image) if path in members), None)
    if info is None:
        raise UsageError(f"{named(where, fields)}: image: the ZIP has no file {image!r} under {TOP}/images/.")
    data = _bytes(f"{named(where, fields)}: image", archive, info, images.BYTES_MAX)
    return read_row(where, {**fields, "image": data})


def _candidates(image: str) -> Iterator[str]:
    """Members that a row may mean by its image's name: a path below the table's folder, or only the file's name."""
    path = PurePosixPath(image)
    if path.is_absolute() or ".." in path.parts or not path.parts:
        return
    for folder in FOLDERS:
        whole = PurePosixPath(folder) / path
        if whole.is_relative_to(f"{TOP}/images"):
            yield str(whole)
