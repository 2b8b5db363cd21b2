"""Where bodies are cut into segments: pure functions over bytes, and the writer that puts the pieces into the store.

A request of an agent begins as the one before and ends with the tools that it always offers; the system prompt and the
tools are the same in every attempt. So it is cut before each message and before the tools: a large piece then has the
same bytes, and is one blob, wherever it comes back. The places are hints: any bytes are kept exactly.
"""

import base64
import binascii
import re
from collections.abc import Iterator

from harness.errors import HarnessError
from harness.store.blobs import Blobs
from harness.store.canonical import dumps
from harness.store.segments import Body, Image, Inline, Prefix, Segment, Stored, read, to_json

# A piece whose JSON is at most this long (bytes) stands in the record, so that a run is not a million tiny files.
INLINE_MAX = 4096
# A shorter common beginning (bytes) is not worth a reference.
PREFIX_MIN = 2048
# Earlier requests that the next one is compared with; each branch of a talk needs one.
TIPS_MAX = 8

_IMAGE = re.compile(rb';base64,([A-Za-z0-9+/]++={0,2}+)(?=")')
_PLACE = re.compile(rb'(?=\{"(?:role|content)"\s*:|"tools"\s*:)')


class Writer:
    """Puts the bodies of one attempt into the store, in the order of its calls."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs
        self._tips: dict[int, bytes] = {}
        self._count = 0

    def request(self, body: bytes) -> Body:
        """Keep the next request of the attempt; byte-exact reassembly is checked before it returns."""
        base, size = self._best_prefix(body)
        head = self._tips[base][:size] if size else b""
        segments = tuple(self._pieces(body[size:]))
        _check(head + read(segments, self._blobs), body)
        if size:
            segments = (Prefix(base, size), *segments)
            self._used(base, size, body)
        self._tips[self._count] = body
        self._count += 1
        if len(self._tips) > TIPS_MAX:
            del self._tips[next(iter(self._tips))]
        return segments

    def _used(self, base: int, size: int, body: bytes) -> None:
        """Forget a request that the new one only adds messages to; keep another one as lately used."""
        other = self._tips.pop(base)
        if not body.endswith(other[size:]):
            self._tips[base] = other

    def literal(self, data: bytes) -> Body:
        """Keep bytes as they are, e.g. an answer."""
        segments = tuple(self._literals([data]))
        _check(read(segments, self._blobs), data)
        return segments

    def _best_prefix(self, body: bytes) -> tuple[int, int]:
        best, size = 0, 0
        for index, other in reversed(self._tips.items()):
            if other[: size + 1] == body[: size + 1]:
                best, size = index, common_prefix(other, body)
        size = stable_end(body, size)
        return (best, size) if size >= PREFIX_MIN else (0, 0)

    def _pieces(self, data: bytes) -> Iterator[Segment]:
        end = 0
        for match in _IMAGE.finditer(data):
            image = decoded(match[1])
            if image is not None:
                yield from self._literals(_PLACE.split(data[end : match.start(1)]))
                yield Image(self._blobs.put(image), len(match[1]))
                end = match.end(1)
        yield from self._literals(_PLACE.split(data[end:]))

    def _literals(self, pieces: list[bytes]) -> Iterator[Segment]:
        for piece in joined(pieces):
            yield Inline(piece) if is_small(piece) else Stored(self._blobs.put(piece), len(piece))


def is_small(data: bytes) -> bool:
    """Whether bytes stand in the record itself, by the length of their JSON."""
    return len(data) <= INLINE_MAX and len(dumps(to_json(Inline(data)))) <= INLINE_MAX


def joined(pieces: list[bytes]) -> Iterator[bytes]:
    """Join small neighbours as long as they stay small together; leave out empty ones."""
    held = b""
    for piece in pieces:
        if held and is_small(held + piece):
            held += piece
            continue
        if held:
            yield held
        held = piece
    if held:
        yield held


def decoded(text: bytes) -> bytes | None:
    """The bytes of base64 that they would give again, else None."""
    try:
        data = base64.b64decode(text, validate=True)
    except binascii.Error:
        return None
    return data if base64.b64encode(data) == text else None


def stable_end(body: bytes, size: int) -> int:
    """Go back from ``size`` to just after a bracket: never inside base64, so that a new image stays whole."""
    return 1 + max(body.rfind(b"}", 0, size), body.rfind(b"]", 0, size))


def common_prefix(left: bytes, right: bytes) -> int:
    """How many bytes two bodies begin with alike."""
    low, step, end = 0, 1 << 16, min(len(left), len(right))
    while low < end and left[low : low + step] == right[low : low + step]:
        low += step
    low, high = min(low, end), min(low + step, end)
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _check(written: bytes, body: bytes) -> None:
    if written != body:
        raise HarnessError(
            f"A body of {len(body)} bytes did not come back from the store as it was. Please report this."
        )
