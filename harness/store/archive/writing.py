"""Writing a run as an OCI image layout: equal run folders give equal bytes, whatever their files' order and times."""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import attrs

from harness.errors import HarnessError, StoreCorruptError
from harness.store import reading
from harness.store.archive import descriptors, tar
from harness.store.archive.contents import Contents, Entry
from harness.store.archive.descriptors import Artifact, Layer
from harness.store.archive.sinks import Sink
from harness.store.canonical import dumps
from harness.store.digests import Digest, digest
from harness.store.foreign.plain import open_plain
from harness.store.provenance import statement

# A blob from this size is a layer of its own, so that a registry keeps an image once for all runs. Smaller ones go into
# a tar: each layer is a request, and below this the request takes longer than its bytes.
LAYER_MIN: Final = 64 * 2**10

# Beyond this many the largest blobs are layers, the others go into the tar: a manifest has about 350 bytes for each,
# and registries need not take one of more than 4 MiB.
LAYERS_MAX: Final = 2000

PIECE: Final = 2**20


@attrs.frozen
class Written:
    """What was written: the artifact and its manifest's digest, by which registries and signatures name it."""

    artifact: Artifact
    digest: Digest
    size: int  # bytes of all layers


def write(contents: Contents, sink: Sink, *, stated: bool = True) -> Written:
    """Give a run's archive to ``sink``; ``stated`` is False for one as the first version wrote it, without provenance.

    Raises StoreCorruptError where a blob isn't what its name says, HarnessError where a file changes meanwhile.
    """
    root, facts = contents.run.layout.root, contents.facts()
    large, small = split(contents.blobs)
    records: dict[str, Digest] = {}
    layers = [_tar(root, contents.records, descriptors.RECORDS_TAR, sink, records)]
    if small:
        layers.append(_tar(root, small, descriptors.BLOBS_TAR, sink, {}))
    if stated:
        # Of the bytes that were written just now, whoever writes to the run meanwhile.
        layers.append(_stated(statement(contents.run, facts.content, records), sink))
    layers += [Layer.blob(sink.add(entry.size, _content(root, entry, {})), entry.size) for entry in large]
    sink.add(len(descriptors.CONFIG), [descriptors.CONFIG])
    artifact = Artifact(facts, tuple(layers))
    manifest = artifact.to_bytes()
    if len(manifest) > descriptors.MANIFEST_MAX:
        raise HarnessError(f"The archive's manifest would have {len(manifest)} bytes, which registries refuse.")
    sink.add(len(manifest), [manifest])
    sink.put("index.json", descriptors.index(manifest, artifact.kind))
    sink.put("oci-layout", dumps(descriptors.LAYOUT))
    sink.end()
    return Written(artifact, digest(manifest), sum(layer.size for layer in layers))


def split(blobs: Sequence[Entry]) -> tuple[list[Entry], list[Entry]]:
    """The blobs that are layers of their own and those that are not, each sorted by name."""
    by_size = sorted(blobs, key=lambda entry: (-entry.size, entry.name))
    large = {entry.name for entry in by_size[:LAYERS_MAX] if entry.size >= LAYER_MIN}
    return [each for each in blobs if each.name in large], [each for each in blobs if each.name not in large]


def _tar(root: Path, entries: Sequence[Entry], title: str, sink: Sink, digests: dict[str, Digest]) -> Layer:
    """One tar; ``digests`` gets that of each file in it."""

    def pieces() -> Iterator[bytes]:
        for entry in entries:
            yield tar.header(entry.name, entry.size)
            yield from _content(root, entry, digests)
            yield tar.padding(entry.size)
        yield tar.END

    size = sum(len(tar.header(each.name, each.size)) + each.size + len(tar.padding(each.size)) for each in entries)
    size += len(tar.END)
    return Layer(descriptors.FILES, sink.add(size, pieces()), size, title)


def _stated(data: bytes, sink: Sink) -> Layer:
    return Layer(descriptors.STATEMENT, sink.add(len(data), [data]), len(data), descriptors.PROVENANCE)


def _content(root: Path, entry: Entry, digests: dict[str, Digest]) -> Iterator[bytes]:
    """A file's bytes, whose digest ``digests`` gets; a blob's is held against its name."""
    path, sha256, left = root / entry.name, hashlib.sha256(), entry.size
    if not path.exists():  # it was listed, and found whole; a collector may take what nothing names
        raise HarnessError(f"{path} was taken away while the run was archived. Archive it again.")
    with reading.corrupt(path), open(open_plain(path)[0], "rb") as file:  # noqa: PTH123 - a handle
        while piece := file.read(min(PIECE, left + 1)):
            left -= len(piece)
            sha256.update(piece)
            if left < 0:
                break
            yield piece
    if left:
        raise HarnessError(f"{path} was written anew while it was archived. Archive it when nobody writes to the run.")
    digests[entry.name] = Digest(sha256.hexdigest())
    if entry.name.startswith("blobs/") and sha256.hexdigest() != path.name:
        raise StoreCorruptError(f"The blob {path} was changed: its SHA-256 is {sha256.hexdigest()}.")
