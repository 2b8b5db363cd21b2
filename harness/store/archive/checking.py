"""Checking an archive from its index down: every blob is there, of its size and its digest, and nothing else is."""

from collections.abc import Callable
from typing import TypeVar

import attrs

from harness.errors import CanonicalError, StoreCorruptError
from harness.store.archive import descriptors, names
from harness.store.archive.descriptors import Artifact
from harness.store.archive.sources import TOP, Source
from harness.store.digests import Digest, digest

T = TypeVar("T")


@attrs.frozen
class Checked:
    """An archive's artifact, and its manifest's digest."""

    artifact: Artifact
    digest: Digest


def read(source: Source) -> Checked:
    """The artifact that an archive holds; its layers are not looked at. Raises StoreCorruptError."""
    _read_small(source, "oci-layout", descriptors.check_layout)
    name, size = _read_small(source, "index.json", descriptors.read_index)
    if size > descriptors.MANIFEST_MAX:
        raise StoreCorruptError(
            f"{source.path}: its manifest has {size} bytes; {descriptors.MANIFEST_MAX} are allowed."
        )
    _check_blob(source, name, size)
    return Checked(_read_small(source, names.blob(name), Artifact.from_bytes), name)


def check(source: Source, checked: Checked) -> None:
    """Every layer; raises StoreCorruptError, which names the first that is damaged."""
    config = digest(descriptors.CONFIG)
    layers = checked.artifact.layers
    expected = {*TOP, *(names.blob(name) for name in (checked.digest, config, *(layer.digest for layer in layers)))}
    stranger = source.stranger(expected)
    if stranger is not None:
        raise StoreCorruptError(f"{source.path} holds {stranger}, which its manifest doesn't name.")
    _check_blob(source, config, len(descriptors.CONFIG))
    for layer in layers:
        _check_blob(source, layer.digest, layer.size)


def _read_small(source: Source, name: str, read: Callable[[bytes], T]) -> T:
    with source.file(name) as span:
        if span.size > descriptors.MANIFEST_MAX:
            raise StoreCorruptError(f"{source.path}: {name} has {span.size} bytes; that is no archive's.")
        data = span.read(0, span.size)
    try:
        return read(data)
    except CanonicalError as error:
        raise StoreCorruptError(f"{source.path}: {name} is damaged: {error}") from error


def _check_blob(source: Source, name: Digest, size: int) -> None:
    with source.file(names.blob(name)) as span:
        if span.size != size:
            raise StoreCorruptError(f"{source.path}: the blob {name} has {span.size} bytes, not {size}.")
        found = span.digest()
    if found != name:
        raise StoreCorruptError(f"{source.path}: the blob {name} was changed: its SHA-256 is {found}.")
