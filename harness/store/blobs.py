"""Blobs: bytes kept once, under the SHA-256 of their content."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import attrs

from harness.errors import CanonicalError, StoreCorruptError
from harness.store import atomic, reading
from harness.store.digests import Digest, digest, parse_digest


@attrs.frozen
class Blobs:
    """A folder of blobs, laid out as an OCI image layout has it; safe for any number of writers."""

    folder: Path

    def path(self, name: Digest) -> Path:
        """Where a blob is, or would be."""
        return self.folder / name

    def has(self, name: Digest) -> bool:
        """Whether the blob is there."""
        return self.path(name).is_file() or (_given_back(self.path(name)) and self.path(name).is_file())

    def put(self, data: bytes) -> Digest:
        """Keep some bytes and return their name; flushed to the disk before it returns.

        Raises NoSpaceError or HarnessError; then nothing is half-written.
        """
        name = digest(data)
        path = self.path(name)
        if not _renewed(path, len(data)):
            atomic.write(path, data)
        return name

    def get(self, name: Digest) -> bytes:
        """The bytes of a blob; raises StoreCorruptError when they are missing or not those of its name."""
        path = self.path(name)
        data = reading.read_if_there(path, reading.BLOB_MAX)
        if data is None and _given_back(path):
            data = reading.read_if_there(path, reading.BLOB_MAX)
        if data is None:
            raise StoreCorruptError(f"The blob {path} is missing. Restore it from a copy of the run.")
        if digest(data) != name:
            raise StoreCorruptError(
                f"The blob {path} was changed: its SHA-256 is {digest(data)}. Restore it from a copy of the run."
            )
        return data

    def __iter__(self) -> Iterator[Digest]:
        """Every blob's name, in order; files of other names are passed over."""
        if self.folder.is_dir():
            for path in sorted(self.folder.iterdir()):
                try:
                    yield parse_digest(path.name)
                except CanonicalError:
                    continue


def _renewed(path: Path, size: int) -> bool:
    """Whether a blob is there; its file is then as new as if just written, so that `harness.store.leftovers` leaves it.

    A file of another size was damaged from outside; writing it again is the only thing that can help.
    """
    with atomic.explained(path):
        try:
            with contextlib.suppress(PermissionError):  # another user's
                os.utime(path)
            return path.stat().st_size == size
        except FileNotFoundError:
            return False


def _given_back(path: Path) -> bool:
    """Give a blob that a collector has set aside its name again: whoever asks for it may have just kept it.

    The collector looks for what is new or named before it removes anything, but only after a while. What it removes
    then is the name with the dot.
    """
    try:
        os.link(path.with_name(f".{path.name}"), path, follow_symlinks=False)
    except FileExistsError:
        return True
    except OSError:  # nothing was set aside, or nobody may write here
        return False
    return True
