"""Bodies as lists of segments, so that what is repeated is kept once.

As JSON, a segment is one of

- ``{"bytes": N}``: the next N bytes of those that stand behind the list (see `harness.store.pack`);
- ``{"blob": SHA256, "size": N}``: the N bytes of a blob;
- ``{"image": SHA256, "size": N}``: a blob's bytes written as N characters of base64;
- ``{"prefix": K, "size": N}``: the first N bytes of request K of the same attempt; only as a request's first segment.
"""

import base64
import zlib
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

import attrs

from harness.errors import StoreCorruptError
from harness.store.blobs import Blobs
from harness.store.canonical import JSON
from harness.store.digests import Digest
from harness.store.fields import Fields


@attrs.frozen
class Inline:
    """Bytes of this body alone."""

    data: bytes

    @property
    def size(self) -> int:
        """Bytes of the body that this stands for."""
        return len(self.data)


@attrs.frozen
class Squeezed:
    """Many bytes of this body alone, held compressed: a pack of 100 KB can hold a GB of zeros."""

    packed: bytes = attrs.field(repr=False)
    size: int

    @property
    def data(self) -> bytes:
        """The bytes."""
        return zlib.decompress(self.packed, bufsize=self.size)


@attrs.frozen
class Stored:
    """Bytes in a blob."""

    blob: Digest
    size: int


@attrs.frozen
class Image:
    """A blob written as base64; ``size`` counts its characters."""

    blob: Digest
    size: int


@attrs.frozen
class Prefix:
    """The first ``size`` bytes of an earlier request."""

    request: int
    size: int


# No body is longer: a gateway lets through 48 MiB and takes 32 MiB, and of what comes out of a sandbox no more is read.
# A record could say that it repeats one blob a million times.
BODY_MAX: Final = 50 << 20

Segment: TypeAlias = Inline | Squeezed | Stored | Image | Prefix
Body: TypeAlias = tuple[Segment, ...]


def to_json(segment: Segment) -> JSON:
    """A segment as it stands in a list; the bytes of an `Inline` stand behind it."""
    match segment:
        case Inline() | Squeezed():
            return {"bytes": segment.size}
        case Stored(blob, size):
            return {"blob": blob, "size": size}
        case Image(blob, size):
            return {"image": blob, "size": size}
        case Prefix(request, size):
            return {"prefix": request, "size": size}


def from_json(value: JSON, take: Callable[[int], Inline | Squeezed]) -> Segment:
    """Read a segment, whose own bytes ``take`` gives; raises CanonicalError for anything that `to_json` can't write."""
    fields = Fields(value, "a segment")
    match value:
        case {"bytes": _}:
            segment: Segment = take(fields.integer("bytes"))
        case {"blob": _}:
            segment = Stored(fields.digest("blob"), fields.integer("size"))
        case {"image": _}:
            segment = Image(fields.digest("image"), fields.integer("size"))
        case _:
            segment = Prefix(fields.integer("prefix"), fields.integer("size"))
    fields.end()
    return segment


def blobs_of(body: Body) -> set[Digest]:
    """The blobs that a body names."""
    return {segment.blob for segment in body if isinstance(segment, Stored | Image)}


def assemble(requests: Sequence[Body], index: int, blobs: Blobs) -> bytes:
    """The bytes of request ``index``; raises StoreCorruptError when they can't be put together."""
    size = sum(segment.size for segment in requests[index])
    if size > BODY_MAX:
        raise StoreCorruptError(f"A record holds a body of {size} bytes; {BODY_MAX} are the most that one can have.")
    return b"".join(_bytes(segment, blobs)[:size] for segment, size in _resolved(requests, index))


def read(body: Body, blobs: Blobs) -> bytes:
    """The bytes of a body that has no prefix, e.g. of an answer."""
    return assemble([body], 0, blobs)


def _bytes(segment: Segment, blobs: Blobs) -> bytes:
    if isinstance(segment, Inline | Squeezed):
        return segment.data
    assert isinstance(segment, Stored | Image), "prefixes are resolved before"
    data = blobs.get(segment.blob)
    if isinstance(segment, Image):
        data = base64.b64encode(data)
    if len(data) != segment.size:
        raise StoreCorruptError(f"A record says {segment.size} bytes of {segment.blob}, but there are {len(data)}.")
    return data


def _resolved(requests: Sequence[Body], index: int) -> list[tuple[Segment, int]]:
    """The segments of a request and how many bytes of each, with its prefix replaced by what that stands for."""
    parts = _first(requests[index], sum(segment.size for segment in requests[index]))
    while parts and isinstance(parts[0][0], Prefix):
        prefix = parts[0][0]
        if prefix.request >= index:
            raise StoreCorruptError(
                f"Request {index} of a record begins like request {prefix.request}, which is no earlier one."
            )
        index = prefix.request
        parts = _first(requests[index], parts[0][1]) + parts[1:]
    if any(isinstance(segment, Prefix) for segment, _ in parts):
        raise StoreCorruptError("A record has a prefix that isn't a request's first segment.")
    return parts


def _first(body: Iterable[Segment], size: int) -> list[tuple[Segment, int]]:
    parts = []
    for segment in body:
        if size == 0:
            break
        parts.append((segment, min(segment.size, size)))
        size -= parts[-1][1]
    if size:
        raise StoreCorruptError("A record repeats more of a request than there is of it.")
    return parts
