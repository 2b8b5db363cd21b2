"""Where an OCI image layout is read from: one tar file or a folder, as `harness archive` or any client wrote it."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Protocol

import attrs

from harness.errors import StoreCorruptError, UsageError
from harness.store import reading
from harness.store.archive import names
from harness.store.archive.writing import LAYERS_MAX
from harness.store.foreign.limits import Limits
from harness.store.foreign.plain import NotPlainError, folder_below
from harness.store.foreign.spans import Span, opened
from harness.store.foreign.tars import members

TOP: Final = ("index.json", "oci-layout")
_FOLDERS: Final = ("", ".", "blobs", names.BLOBS)

# Layers, records and small blobs, configuration, manifest, index and version, and the folders.
LIMITS: Final = Limits(file=1 << 36, total=1 << 40, entries=LAYERS_MAX + 16, depth=4)

# How the name of a tar file's first member can begin.
_FIRST: Final = (*(name.encode() for name in TOP), b"blobs", b"./")

_COMPRESSED: Final = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bzip2", b"\xfd7zXZ": "xz"}


class Source(Protocol):
    """The files of a layout by their names in it."""

    @property
    def path(self) -> Path:
        """The archive, as errors call it."""

    def file(self, name: str) -> contextlib.AbstractContextManager[Span]:
        """One file; raises StoreCorruptError where it is missing."""

    def stranger(self, expected: set[str]) -> str | None:
        """The name of a file that isn't expected, where there is one that could hold bytes nobody checks."""


@attrs.frozen
class TarSource:
    """One tar file; no byte of it is left unchecked."""

    path: Path
    _files: dict[str, Span]

    @contextlib.contextmanager
    def file(self, name: str) -> Iterator[Span]:
        if name not in self._files:
            raise StoreCorruptError(f"{self.path} lacks {name}.")
        yield self._files[name]

    def stranger(self, expected: set[str]) -> str | None:
        return next(iter(sorted(self._files.keys() - expected)), None)


@attrs.frozen
class FolderSource:
    """A folder, which may hold other artifacts' blobs as well: only what the index leads to is read."""

    path: Path

    @contextlib.contextmanager
    def file(self, name: str) -> Iterator[Span]:
        *above, last = name.split("/")
        with contextlib.ExitStack() as stack:
            with reading.corrupt(self.path / name):
                try:
                    folder = stack.enter_context(folder_below(self.path, above))
                    span = stack.enter_context(opened(self.path / name, folder=folder, name=last))
                except NotPlainError as error:
                    raise StoreCorruptError(f"{self.path / name}: {error.strerror}.") from error
            yield span

    def stranger(self, expected: set[str]) -> str | None:
        return None


@contextlib.contextmanager
def source(path: Path) -> Iterator[Source]:
    """Open an archive; raises UsageError where there is none, StoreCorruptError where it is damaged."""
    if path.is_dir():
        if not (path / "oci-layout").exists():
            raise UsageError(f"{path} is no archive: it has no file oci-layout.")
        yield FolderSource(path)
        return
    with contextlib.ExitStack() as stack:
        try:
            span = stack.enter_context(opened(path, follow=True))
        except NotPlainError as error:
            raise UsageError(f"{path} is no plain file: {error.strerror}.") from error
        except OSError as error:
            raise UsageError(f"{path} can't be read: {error.strerror}.") from error
        _refuse_foreign(span)
        yield TarSource(path, _scanned(span))


def _refuse_foreign(span: Span) -> None:
    """What was never an archive is no damaged one; one damaged byte leaves either the first name or tar's own mark."""
    start = span.read(0, min(span.size, 512))
    for magic, name in _COMPRESSED.items():
        if start.startswith(magic):
            raise UsageError(f"{span.path} is compressed by {name}. Unpack it first: an archive is a plain tar file.")
    begun = any(start.startswith(name) or name.startswith(start) for name in _FIRST)
    if not begun and b"ustar" not in start[256:264]:
        raise UsageError(f"{span.path} is no archive: it doesn't begin as a tar file does.")


def _scanned(span: Span) -> dict[str, Span]:
    files: dict[str, Span] = {}
    for member in members(span, LIMITS):
        name = member.name.removeprefix("./")
        if member.folder and name.rstrip("/") in _FOLDERS:
            continue
        if member.folder or not (name in TOP or names.is_blob(name)):
            raise StoreCorruptError(f"{span.path} holds {member.name!r}, which no OCI image layout has.")
        if name in files:
            raise StoreCorruptError(f"{span.path} holds {name!r} twice.")
        files[name] = member.content
    return files
