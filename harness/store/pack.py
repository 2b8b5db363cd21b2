"""The pack: all bodies of one attempt, and the files that came out of its sandbox, in one compressed blob.

Requests, streamed answers and the agent's events say the same things again and again; together they take a tenth of
their size. Unpacked (``xz``) it is one line of canonical JSON and then the bytes of all `Inline` segments in the order
in which the line lists them::

    {"artifacts": [[NAME, SEGMENTS], ...], "calls": [[SEGMENTS of the request, SEGMENTS of the answer], ...], "format",
     "values": what the bodies of calls lack (`harness.store.values`)}

Bodies of calls are templates (`harness.store.volatile`). Content digests are over these, never over the pack.
"""

import lzma
import zlib
from collections.abc import Iterator, Mapping
from typing import Final

import attrs

from harness.errors import CanonicalError
from harness.store import segments
from harness.store.canonical import JSON, dumps, loads_strict
from harness.store.digests import Digest
from harness.store.fields import Fields, text
from harness.store.segments import Body, Inline, Squeezed
from harness.store.values import Values

FORMAT: Final = 2

# Unpacked bytes. One gateway keeps at most 256 MiB of bodies and a last one of 40 (`GatewaySettings.max_record`), and
# of what comes out of a sandbox 33 MiB are read; more can only be made to fill memory.
UNPACKED_MAX: Final = 352 << 20
LINE_MAX: Final = 16 << 20  # bytes of the line before the segments' own: a hundred for each segment
SQUEEZED_MIN: Final = 4 << 20  # bytes from which a segment is held compressed once it is read

# A window of 1 MiB finds again what stood in a request 1 MiB before; larger ones cost time and gain nothing here. Some
# kilobytes of text are too few to learn much of what follows which byte (lc), and have no alignment (pb).
_FILTERS: Final = [{"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 1 << 20, "lc": 1, "pb": 0}]
_MEMORY_MAX: Final = 16 << 20  # bytes that unpacking may take beside what it gives
_STEP: Final = 1 << 20  # bytes unpacked at a time


@attrs.frozen
class Pack:
    """Requests and answers in the order of the calls, the artifacts by name, and what the former two lack."""

    requests: tuple[Body, ...]
    answers: tuple[Body, ...]
    artifacts: Mapping[str, Body]
    values: Values = attrs.field(factory=Values)

    def to_bytes(self) -> bytes:
        """The compressed bytes."""
        calls = zip(self.requests, self.answers, strict=True)
        line = dumps(
            {
                "format": FORMAT,
                "calls": [[_listed(request), _listed(answer)] for request, answer in calls],
                "artifacts": [[name, _listed(body)] for name, body in sorted(self.artifacts.items())],
                "values": self.values.to_json(),
            }
        )
        packer = lzma.LZMACompressor(lzma.FORMAT_XZ, check=lzma.CHECK_CRC32, filters=_FILTERS)
        parts = [packer.compress(line + b"\n")]
        parts += [packer.compress(segment.data) for segment in self._all() if isinstance(segment, Inline | Squeezed)]
        return b"".join([*parts, packer.flush()])

    @classmethod
    def from_bytes(cls, data: bytes) -> "Pack":
        """Read a pack strictly; raises CanonicalError."""
        taker = _Taker(data)
        fields = Fields(loads_strict(taker.line(), canonical=True), "a pack")
        version = fields.integer("format")
        if version != FORMAT:
            raise CanonicalError(f"The pack's format is {version}; this version of the harness reads {FORMAT}.")
        named = fields.items("artifacts", _artifact)  # listed first in the line, but their bytes come last
        calls = fields.items("calls", lambda value: _call(value, taker))
        artifacts = {name: _body(listed, taker) for name, listed in named}
        values = Values.from_json(fields.any("values"))
        fields.end()
        taker.end()
        if [name for name, _ in named] != sorted(artifacts):
            raise CanonicalError("A pack's artifacts are not in the order of their names.")
        return cls(tuple(request for request, _ in calls), tuple(answer for _, answer in calls), artifacts, values)

    def blobs(self) -> set[Digest]:
        """Every blob that a body names."""
        bodies = (*self.requests, *self.answers, *self.artifacts.values())
        return set[Digest]().union(*map(segments.blobs_of, bodies))

    def _all(self) -> Iterator[segments.Segment]:
        for request, answer in zip(self.requests, self.answers, strict=True):
            yield from (*request, *answer)
        for _, body in sorted(self.artifacts.items()):
            yield from body


class _Taker:
    """Unpacks the line, and then the bytes behind it piece by piece: nothing is there twice."""

    def __init__(self, data: bytes) -> None:
        self._unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MEMORY_MAX)
        self._packed = memoryview(data)
        self._ahead = b""
        self._left = UNPACKED_MAX

    def line(self) -> bytes:
        """The first line."""
        pieces = list[bytes]()
        while b"\n" not in (piece := self._more(_STEP)):
            pieces.append(piece)
            if not piece or len(pieces) > LINE_MAX // _STEP:
                raise CanonicalError("A pack begins with no line, or with a far too long one.")
        end, _, self._ahead = piece.partition(b"\n")
        return b"".join([*pieces, end])

    def __call__(self, size: int) -> Inline | Squeezed:
        """The next bytes."""
        self._left -= size
        if self._left < 0:
            raise CanonicalError(f"A pack is too large: it says that it has more than {UNPACKED_MAX} bytes.")
        if size < SQUEEZED_MIN:
            return Inline(b"".join(self._pieces(size)))
        packer = zlib.compressobj(1)
        packed = [packer.compress(piece) for piece in self._pieces(size)]
        return Squeezed(b"".join([*packed, packer.flush()]), size)

    def _pieces(self, size: int) -> Iterator[bytes]:
        yield self._ahead[:size]
        missing = max(0, size - len(self._ahead))
        self._ahead = self._ahead[size:]
        while missing:
            piece = self._more(min(missing, _STEP))
            if not piece:
                raise CanonicalError("A pack is shorter than it says.")
            yield piece
            missing -= len(piece)

    def end(self) -> None:
        """Everything was taken."""
        if self._ahead or self._more(1):
            raise CanonicalError("A pack is longer than it says.")
        if not self._unpacker.eof or self._unpacker.unused_data or self._packed:
            raise CanonicalError("A pack is cut, or has something behind its end.")

    def _more(self, size: int) -> bytes:
        if self._unpacker.eof:
            return b""
        try:
            data = b""
            while not data and not self._unpacker.eof and (self._packed or not self._unpacker.needs_input):
                # A step at a time, since the unpacker makes a copy of what it can't take in yet.
                step = _STEP if self._unpacker.needs_input else 0
                data = self._unpacker.decompress(self._packed[:step], size)
                self._packed = self._packed[step:]
        except (lzma.LZMAError, EOFError) as error:
            raise CanonicalError(f"A pack can't be unpacked: {error}.") from error
        return data


def _listed(body: Body) -> list[JSON]:
    return [segments.to_json(segment) for segment in body]


def _body(value: JSON, taker: _Taker) -> Body:
    fields = Fields({"segments": value}, "a pack")
    return fields.items("segments", lambda item: segments.from_json(item, taker))


def _call(value: JSON, taker: _Taker) -> tuple[Body, Body]:
    match value:
        case [request, answer]:
            return _body(request, taker), _body(answer, taker)
        case _:
            raise CanonicalError("A pack's call is a request and an answer.")


def _artifact(value: JSON) -> tuple[str, JSON]:
    match value:
        case [name, listed]:
            return text(name), listed
        case _:
            raise CanonicalError("A pack's artifact is a name and its segments.")
