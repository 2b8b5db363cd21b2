"""Where an OCI image layout is written to: one tar file, a folder, or nowhere, where only its digests are asked for."""

import hashlib
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO, Protocol

import attrs

from harness.errors import HarnessError
from harness.store.archive import names, tar
from harness.store.digests import Digest


class Sink(Protocol):
    """Takes blobs in pieces, so that none of them is in memory as a whole."""

    def add(self, size: int, pieces: Iterable[bytes]) -> Digest:
        """Keep a blob of ``size`` bytes; returns its digest, which is its name."""

    def put(self, name: str, data: bytes) -> None:
        """Keep a file at the top of the layout."""

    def end(self) -> None:
        """All is given."""


@attrs.frozen
class TarSink:
    """One tar file, which can be sought in: a blob's name is known only after its bytes."""

    file: BinaryIO

    @classmethod
    def begin(cls, file: BinaryIO) -> "TarSink":
        """An empty ``file``. It gets the folders as well: without them skopeo 1.9 can't read it but as root."""
        file.write(tar.folder("blobs") + tar.folder(names.BLOBS))
        return cls(file)

    def add(self, size: int, pieces: Iterable[bytes]) -> Digest:
        start = self.file.tell()
        self.file.write(tar.header(names.blob("0" * 64), size))
        name = _copy(size, pieces, self.file)
        self.file.write(tar.padding(size))
        end = self.file.tell()
        self.file.seek(start)
        self.file.write(tar.header(names.blob(name), size))
        self.file.seek(end)
        return name

    def put(self, name: str, data: bytes) -> None:
        self.file.write(tar.header(name, len(data)) + data + tar.padding(len(data)))

    def end(self) -> None:
        self.file.write(tar.END)


@attrs.frozen
class FolderSink:
    """A folder, which is empty at first."""

    folder: Path

    def add(self, size: int, pieces: Iterable[bytes]) -> Digest:
        blobs = self.folder / names.BLOBS
        blobs.mkdir(parents=True, exist_ok=True)
        unnamed = blobs / f".{secrets.token_hex(8)}"
        with unnamed.open("xb") as file:
            name = _copy(size, pieces, file)
        unnamed.rename(blobs / name)
        return name

    def put(self, name: str, data: bytes) -> None:
        (self.folder / name).write_bytes(data)

    def end(self) -> None:
        """Nothing more is needed."""


class NoSink:
    """Keeps nothing."""

    def add(self, size: int, pieces: Iterable[bytes]) -> Digest:
        return _copy(size, pieces, None)

    def put(self, name: str, data: bytes) -> None:
        """Nothing is kept."""

    def end(self) -> None:
        """Nothing is kept."""


def _copy(size: int, pieces: Iterable[bytes], file: BinaryIO | None) -> Digest:
    sha256, written = hashlib.sha256(), 0
    for piece in pieces:
        sha256.update(piece)
        written += len(piece)
        if file is not None:
            file.write(piece)
    if written != size:
        raise HarnessError(f"{written} bytes were read for a layer of {size}. Please report this.")
    return Digest(sha256.hexdigest())
