"""Tar headers, read strictly: what POSIX's and GNU's tar write for plain files and folders, and nothing else.

A size is octal digits: no base-256, which can be negative, and no blanks. GNU's long names and sparse files are types
of their own, so whoever reads members refuses them; a pax header may say a path and a size, and what doesn't matter.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

import attrs

from harness.errors import CanonicalError

BLOCK: Final = 512
END: Final = bytes(2 * BLOCK)

FILE: Final = b"0"
FOLDER: Final = b"5"
PAX: Final = b"x"
KINDS: Final[Mapping[bytes, str]] = {
    b"1": "a hard link",
    b"2": "a symbolic link",
    b"3": "a character device",
    b"4": "a block device",
    FOLDER: "a folder",
    b"6": "a FIFO",
    b"S": "a sparse file",
}

POSIX: Final = b"ustar\x0000"
_GNU: Final = b"ustar  \0"

# What other tools add to a file's pax header; none of it says which bytes the file has.
_IDLE = re.compile(r"[amc]time|[ug]id|[ug]name|comment|SCHILY\.xattr\..*|LIBARCHIVE\..*")


@attrs.frozen
class Header:
    """What one header block says. ``kind`` is the type flag."""

    name: str
    size: int
    kind: bytes


def parse(block: bytes) -> Header:
    """Read one header block; raises CanonicalError for any that POSIX or GNU tar would not have written.

    Any single byte that was changed is found: the checksum is over all of them, and is read strictly itself.
    """
    stated = block[148:156]
    if re.fullmatch(rb"[0-7]{6}\0 ", stated) is None or int(stated[:6], 8) != checksum(block):
        raise CanonicalError("no tar header stands there, or it was changed")
    magic, size = block[257:265], block[124:136]
    if magic not in (POSIX, _GNU) or re.fullmatch(rb"[0-7]{11}[\0 ]", size) is None:
        raise CanonicalError("the tar header there is none of POSIX's or GNU's")
    parts = [_text(block[345:500])] if magic == POSIX else []
    name = "/".join(part for part in [*parts, _text(block[:100])] if part)
    return Header(name, int(size[:11], 8), FILE if block[156:157] == b"\0" else block[156:157])


def checksum(block: bytes) -> int:
    """Over all bytes, with the checksum's own taken as spaces."""
    return sum(block[:148]) + sum(block[156:]) + 8 * ord(" ")


def pax_records(data: bytes) -> dict[str, str]:
    """The path and the size of a pax header; raises CanonicalError where it says more of the bytes than these."""
    found = {}
    for key, value in _pax_pairs(data):
        if key in found or (key not in ("path", "size") and _IDLE.fullmatch(key) is None):
            raise CanonicalError(f"the pax header there has the key {key[:100]!r}, which an archive has not")
        found[key] = value
    return {key: value for key, value in found.items() if key in ("path", "size")}


def _pax_pairs(data: bytes) -> Iterator[tuple[str, str]]:
    while data:
        match = re.match(rb"([1-9][0-9]{0,6}) ([^=\n]+)=", data)
        length = int(match[1]) if match else 0
        if match is None or not match.end() < length <= len(data) or data[length - 1 : length] != b"\n":
            raise CanonicalError("the pax header there is damaged")
        try:
            yield match[2].decode(), data[match.end() : length - 1].decode()
        except UnicodeDecodeError as error:
            raise CanonicalError("the pax header there is no UTF-8") from error
        data = data[length:]


def _text(field: bytes) -> str:
    try:
        return field.split(b"\0", 1)[0].decode("ascii")
    except UnicodeDecodeError as error:
        raise CanonicalError("the name there is no ASCII") from error
