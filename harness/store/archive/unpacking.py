"""Writing an archive's layers to a new folder: plain files with the names of a run folder, each once."""

from collections.abc import Callable
from pathlib import Path

from harness.errors import StoreCorruptError
from harness.store.archive import descriptors, names, tar
from harness.store.archive.descriptors import Layer
from harness.store.archive.scanning import Member, members
from harness.store.archive.sources import Source
from harness.store.archive.spans import Span

_BELONGS = {descriptors.RECORDS_TAR: names.is_record, descriptors.BLOBS_TAR: names.is_blob}


def unpack(source: Source, layer: Layer, folder: Path) -> None:
    """Write one layer's files below ``folder``; raises StoreCorruptError for a file that no run folder has."""
    with source.file(names.blob(layer.digest)) as span:
        if layer.media_type == descriptors.BLOB:
            _write(span, folder / layer.title)
        else:
            _unpack_tar(span, layer.title, folder)


def _unpack_tar(span: Span, title: str, folder: Path) -> None:
    last = ""
    for member in members(span):
        _check(span, member, last, _BELONGS[title])
        _write(member.content, folder / member.name)
        last = member.name


def _check(span: Span, member: Member, last: str, belongs: Callable[[str], bool]) -> None:
    """Our own tar has one form, so whatever else a header could say is not there."""
    if not belongs(member.name):
        raise StoreCorruptError(f"{span.path} holds {member.name!r}, which no run folder has.")
    if member.name <= last:
        raise StoreCorruptError(f"{span.path} holds {member.name!r} twice, or not in order.")
    if member.header != tar.header(member.name, member.content.size):
        raise StoreCorruptError(f"{span.path}: the header of {member.name!r} is not as the harness writes it.")


def _write(content: Span, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("xb") as file:
            for piece in content.pieces():
                file.write(piece)
    except FileExistsError as error:
        raise StoreCorruptError(f"{content.path} holds {path.name!r} twice.") from error
