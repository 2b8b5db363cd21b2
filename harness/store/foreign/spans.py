"""Some bytes of a file that somebody else made: read at places, and never more than are there."""

import contextlib
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import attrs

from harness.errors import StoreCorruptError
from harness.store.digests import Digest
from harness.store.foreign.plain import open_plain

_PIECE: Final = 2**20


@attrs.frozen
class Span:
    """``size`` bytes of the open file ``handle`` from ``start``; ``path`` is what an error calls it."""

    path: Path
    handle: int
    start: int
    size: int

    def read(self, at: int, count: int) -> bytes:
        """Exactly ``count`` bytes; raises StoreCorruptError where the span or the file ends before."""
        data = os.pread(self.handle, count, self.start + at) if at + count <= self.size else b""
        if len(data) != count:
            raise StoreCorruptError(f"{self.path} is cut short at byte {self.start + min(at, self.size)}.")
        return data

    def part(self, at: int, size: int) -> "Span":
        """A span inside this one; raises StoreCorruptError where it ends before."""
        if at + size > self.size:
            raise StoreCorruptError(f"{self.path} is cut short: {size} bytes were to stand at {self.start + at}.")
        return Span(self.path, self.handle, self.start + at, size)

    def pieces(self) -> Iterator[bytes]:
        """All bytes, a part at a time; raises StoreCorruptError."""
        for at in range(0, self.size, _PIECE):
            yield self.read(at, min(_PIECE, self.size - at))

    def digest(self) -> Digest:
        """The SHA-256 of all bytes; raises StoreCorruptError."""
        sha256 = hashlib.sha256()
        for piece in self.pieces():
            sha256.update(piece)
        return Digest(sha256.hexdigest())


@contextlib.contextmanager
def opened(path: Path, *, follow: bool = False, folder: int | None = None, name: str = "") -> Iterator[Span]:
    """A plain file as a span: that at ``path``, or of the ``name`` in an open ``folder``, which errors call ``path``.

    ``follow`` and what is raised are those of `harness.store.foreign.plain.open_plain`.
    """
    handle, status = open_plain(path if folder is None else name, follow=follow, folder=folder)
    try:
        yield Span(path, handle, 0, status.st_size)
    finally:
        os.close(handle)
