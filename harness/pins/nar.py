"""A file or a folder as a NAR, the form in which Nix hashes and carries store paths.

Every text stands as its length (8 bytes, little-endian), its bytes, and zeros up to a multiple of 8. A folder's entries
are in the order of their names' bytes. Times, owners and modes are not in it, but for whether a file can be executed.
The rules are those of the Nix manual, "Nix Archive (NAR) format".
"""

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

PIECE: Final = 1 << 20


def digest(path: Path) -> str:
    """The SHA-256 of its NAR, hexadecimal; raises OSError."""
    sha256 = hashlib.sha256()
    for piece in pieces(path):
        sha256.update(piece)
    return sha256.hexdigest()


def pieces(path: Path) -> Iterator[bytes]:
    """Its NAR, never more than `PIECE` bytes at once; raises OSError, also for what no NAR knows (a device, a FIFO)."""
    yield _text(b"nix-archive-1")
    yield from _node(path)


def _node(path: Path) -> Iterator[bytes]:
    status = path.lstat()
    if stat.S_ISREG(status.st_mode):
        yield from _file(path, status)
    elif stat.S_ISLNK(status.st_mode):
        yield _texts(b"(", b"type", b"symlink", b"target", os.fsencode(path.readlink()), b")")
    elif stat.S_ISDIR(status.st_mode):
        yield _texts(b"(", b"type", b"directory")
        for entry in sorted(path.iterdir(), key=lambda entry: os.fsencode(entry.name)):
            yield _texts(b"entry", b"(", b"name", os.fsencode(entry.name), b"node")
            yield from _node(entry)
            yield _text(b")")
        yield _text(b")")
    else:
        raise OSError(f"{path} is neither file nor folder nor link")


def _file(path: Path, status: os.stat_result) -> Iterator[bytes]:
    yield _texts(b"(", b"type", b"regular")
    if status.st_mode & stat.S_IXUSR:
        yield _texts(b"executable", b"")
    yield _text(b"contents") + status.st_size.to_bytes(8, "little")
    left = status.st_size
    with path.open("rb", buffering=0) as file:
        while left and (piece := file.read(min(PIECE, left))):
            left -= len(piece)
            yield piece
    if left:
        raise OSError(f"{path} became shorter while it was read")
    yield bytes(-status.st_size % 8) + _text(b")")


def _texts(*texts: bytes) -> bytes:
    return b"".join(map(_text, texts))


def _text(text: bytes) -> bytes:
    return len(text).to_bytes(8, "little") + text + bytes(-len(text) % 8)
