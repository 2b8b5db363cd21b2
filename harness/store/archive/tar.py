"""Tar headers, written in one way only; `harness.store.foreign.headers` reads them.

POSIX ustar, mode 0644, owner and group 0 without names, modification time 0, regular files only. A name beyond 100
bytes or a size from 8 GiB stands in a pax header before it, with these two keys only. So the bytes follow from name and
size alone; Python's own tarfile writes other ones from version to version.
"""

import struct
from typing import Final

from harness.store.foreign.headers import BLOCK, END, FILE, FOLDER, PAX, POSIX, checksum

__all__ = ["BLOCK", "END", "folder", "header", "padding"]

_NAME_MAX: Final = 100
_SIZE_MAX: Final = 8**11 - 1
_FORM: Final = struct.Struct("100s8s8s8s12s12s8s1s100s8s32s32s8s8s155s12x")
_ZERO: Final = b"0000000\0"
_PAX_NAME: Final = b"././@PaxHeader"


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


def _block(name: bytes, size: int, kind: bytes, mode: bytes = b"0000644\0") -> bytes:
    number, none = b"%011o\0" % size, b""
    fields = (mode, _ZERO, _ZERO, number, b"%011o\0" % 0, none, kind, none, POSIX, none, none, _ZERO, _ZERO)
    block = _FORM.pack(name, *fields, none)
    return block[:148] + b"%06o\0 " % checksum(block) + block[156:]


def _pax_record(key: str, value: str) -> bytes:
    """LENGTH KEY=VALUE, where the length counts its own digits."""
    rest = f" {key}={value}\n"
    length = len(rest)
    while length != len(rest) + len(str(length)):
        length = len(rest) + len(str(length))
    return f"{length}{rest}".encode("ascii")
