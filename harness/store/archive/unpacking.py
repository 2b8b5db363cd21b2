"""Writing an archive's layers to a new folder: plain files with the names of a run folder, each once."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from harness.errors import StoreCorruptError
from harness.store import reading
from harness.store.archive import descriptors, names, tar
from harness.store.archive.descriptors import Layer
from harness.store.archive.sources import Source
from harness.store.foreign.limits import Limits
from harness.store.foreign.spans import Span
from harness.store.foreign.tars import Member, members

# Of one layer. Its size stands in the manifest, and room for it is looked for before anything is written.
LIMITS: Final = Limits(file=reading.BLOB_MAX, total=1 << 40, entries=1_000_000, depth=4)

# Bytes of the layers that are one file each.
_MOST: Final = {descriptors.BLOB: LIMITS.file, descriptors.STATEMENT: reading.JSON_MAX}

_BELONGS: Final = {descriptors.RECORDS_TAR: names.is_record, descriptors.BLOBS_TAR: names.is_blob}


def check(source: Source, layer: Layer) -> None:
    """Go through one layer and write nothing; raises StoreCorruptError for a file that no run folder has."""
    with source.file(names.blob(layer.digest)) as span:
        most = _MOST.get(layer.media_type)
        if most is None:
            for _ in _members(span, layer.title):
                pass
        elif span.size > most:
            raise StoreCorruptError(f"{span.path} has {span.size:,} bytes; no {layer.title} of a run has so many.")


def unpack(source: Source, layer: Layer, folder: Path) -> None:
    """Write one layer's files below ``folder``; raises StoreCorruptError as `check` does."""
    with source.file(names.blob(layer.digest)) as span:
        if layer.media_type in _MOST:
            _write(span, folder / layer.title)
            return
        for member in _members(span, layer.title):
            _write(member.content, folder / member.name)


def _members(span: Span, title: str) -> Iterator[Member]:
    """Our own tar has one form, so whatever else a header could say is not there."""
    last = ""
    for member in members(span, LIMITS):
        if not _BELONGS[title](member.name):
            raise StoreCorruptError(f"{span.path} holds {member.name!r}, which no run folder has.")
        if member.name <= last:
            raise StoreCorruptError(f"{span.path} holds {member.name!r} after {last!r}: a run's are in order.")
        if member.header != tar.header(member.name, member.content.size):
            raise StoreCorruptError(f"{span.path}: the header of {member.name!r} is not as the harness writes it.")
        last = member.name
        yield member


def _write(content: Span, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("xb") as file:
            for piece in content.pieces():
                file.write(piece)
    except FileExistsError as error:
        raise StoreCorruptError(f"{content.path} holds {path.name!r} twice.") from error
