"""Tar headers, written in one way only and read strictly.

Written: POSIX ustar, mode 0644, owner and group 0 without names, modification time 0, regular files only. A name beyond
100 bytes or a size from 8 GiB stands in a pax header before it, with these two keys only. So the bytes follow from name
and size alone; Python's own tarfile writes other ones from version to version.
"""

import re
import struct
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

_NAME_MAX = 100
_SIZE_MAX = 8**11 - 1
_FORM = struct.Struct("100s8s8s8s12s12s8s1s100s8s32s32s8s8s155s12x")
_ZERO = b"0000000\0"
_POSIX, _GNU = b"ustar\x0000", b"ustar  \0"
_PAX_NAME = b"././@PaxHeader"

# What other tools add to a file's pax header; none of it says which bytes the file has.
_IDLE = re.compile(r"[amc]time|[ug]id|[ug]name|comment|SCHILY\.xattr\..*|LIBARCHIVE\..*")


@attrs.frozen
class Header:
    """What one header block says. ``kind`` is the type flag."""

    name: str
    size: int
    kind: bytes


def header(name: str, size: int) -> bytes:
    """The bytes before a file's content; ``name`` is ASCII."""
    raw, long = name.encode("ascii"), {}
    if len(raw) > _NAME_MAX:
        long["path"] = name
    if size > _SIZE_MAX:
        long["size"] = str(size)
    block = _block(raw[:_NAME_MAX], 0 if "size" in long else size, FILE)
    if not long:
        return block
    data = b"".join(_pax_record(key, value) for key, value in sorted(long.items()))
    return _block(_PAX_NAME, len(data), PAX) + data + padding(len(data)) + block


def folder(name: str) -> bytes:
    """The bytes of a folder; ``name`` is short, and has no slash at its end."""
    return _block(f"{name}/".encode("ascii"), 0, FOLDER, b"0000755\0")


def padding(size: int) -> bytes:
    """The zeros after a file's content."""
    return bytes(-size % BLOCK)


def parse(block: bytes) -> Header:
    """Read one header block; raises CanonicalError for any that POSIX or GNU tar would not have written.

    Any single byte that was changed is found: the checksum is over all of them, and is read strictly itself.
    """
    checksum = block[148:156]
    if re.fullmatch(rb"[0-7]{6}\0 ", checksum) is None or int(checksum[:6], 8) != _sum(block):
        raise CanonicalError("no tar header stands there, or it was changed")
    magic, size = block[257:265], block[124:136]
    if magic not in (_POSIX, _GNU) or re.fullmatch(rb"[0-7]{11}[\0 ]", size) is None:
        raise CanonicalError("the tar header there is none of POSIX's or GNU's")
    parts = [_text(block[345:500])] if magic == _POSIX else []
    name = "/".join(part for part in [*parts, _text(block[:100])] if part)
    return Header(name, int(size[:11], 8), FILE if block[156:157] == b"\0" else block[156:157])


def pax_records(data: bytes) -> dict[str, str]:
    """The path and the size of a pax header; raises CanonicalError where it says more of the bytes than these."""
    found = {}
    for key, value in _pax_pairs(data):
        if key in found or (key not in ("path", "size") and _IDLE.fullmatch(key) is None):
            raise CanonicalError(f"the pax header there has the key {key!r}, which an archive has not")
        found[key] = value
    return {key: value for key, value in found.items() if key in ("path", "size")}


def _block(name: bytes, size: int, kind: bytes, mode: bytes = b"0000644\0") -> bytes:
    number, none = b"%011o\0" % size, b""
    fields = (mode, _ZERO, _ZERO, number, b"%011o\0" % 0, none, kind, none, _POSIX, none, none, _ZERO, _ZERO)
    block = _FORM.pack(name, *fields, none)
    return block[:148] + b"%06o\0 " % _sum(block) + block[156:]


def _sum(block: bytes) -> int:
    """Over all bytes, with the checksum's own taken as spaces."""
    return sum(block[:148]) + sum(block[156:]) + 8 * ord(" ")


def _text(field: bytes) -> str:
    try:
        return field.split(b"\0", 1)[0].decode("ascii")
    except UnicodeDecodeError as error:
        raise CanonicalError("the name there is no ASCII") from error


def _pax_record(key: str, value: str) -> bytes:
    """LENGTH KEY=VALUE, where the length counts its own digits."""
    rest = f" {key}={value}\n"
    length = len(rest)
    while length != len(rest) + len(str(length)):
        length = len(rest) + len(str(length))
    return f"{length}{rest}".encode("ascii")


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
