"""Where bodies are cut into segments: pure functions over bytes, and the writer that puts the pieces into the store.

A request of an agent begins as the one before and ends with the tools that it always offers; the system prompt and the
tools are the same in every attempt. So it is cut before each message and before the tools. A large piece of a talk's
first request is a blob, wherever it comes back; so is an image. All else belongs to one attempt alone, and stands in
its pack. The places are hints: any bytes are kept exactly.
"""

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from harness.errors import HarnessError
from harness.store.blobs import Blobs
from harness.store.digests import Digest, digest
from harness.store.segments import Body, Image, Inline, Prefix, Segment, Stored, read

# A shorter piece (bytes) is no blob, so that a run is not a million tiny files.
BLOB_MIN: Final = 4096
# Shorter base64 (characters) is no image of its own: whoever drives the shell could make a million of them.
IMAGE_MIN: Final = 512
# A shorter common beginning (bytes) is not worth a reference.
PREFIX_MIN: Final = 2048
# Earlier requests that the next one is compared with; each branch of a talk needs one.
TIPS_MAX: Final = 8

_IMAGE = re.compile(rb';base64,([A-Za-z0-9+/]++={0,2}+)(?=")')
_PLACE = re.compile(rb'(?=\{"(?:role|content)"\s*:)')
_TOOLS = re.compile(rb'(?="tools"\s*:\s*\[)')


class Writer:
    """Puts the bodies of one attempt into the store, in the order of its calls."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs
        self._tips: dict[int, bytes] = {}
        self._count = 0
        self._shared: dict[Digest, Stored] = {}
        self._images: dict[Digest, Image] = {}

    def request(self, body: bytes) -> Body:
        """Keep the next request of the attempt; byte-exact reassembly is checked before it returns."""
        base, size = self._best_prefix(body)
        head = self._tips[base][:size] if size else b""
        segments = tuple(self._pieces(body[size:], first=self._count == 0))
        _check(head + read(segments, self._blobs), body)
        if size:
            segments = (Prefix(base, size), *segments)
            self._used(base, size, body)
        self._tips[self._count] = body
        self._count += 1
        if len(self._tips) > TIPS_MAX:
            del self._tips[next(iter(self._tips))]
        return segments

    def alone(self, data: bytes) -> Body:
        """Keep bytes that no request begins with, e.g. an answer; an image of the requests may stand in them again."""
        segments = tuple(_around_images(data, lambda characters: self._images.get(digest(characters))))
        _check(read(segments, self._blobs), data)
        return segments

    def _used(self, base: int, size: int, body: bytes) -> None:
        """Forget a request that the new one only adds messages to; keep another one as lately used."""
        other = self._tips.pop(base)
        if not body.endswith(other[size:]):
            self._tips[base] = other

    def _best_prefix(self, body: bytes) -> tuple[int, int]:
        best, size = 0, 0
        for index, other in reversed(self._tips.items()):
            if other[: size + 1] == body[: size + 1]:
                best, size = index, common_prefix(other, body)
        size = stable_end(body, size)
        return (best, size) if size >= PREFIX_MIN else (0, 0)

    def _pieces(self, data: bytes, *, first: bool) -> Iterator[Segment]:
        for part in _around_images(data, self._image):
            if isinstance(part, Inline):
                yield from joined(self._literal(piece, first=first) for piece in places(part.data))
            else:
                yield part

    def _image(self, characters: bytes) -> Image | None:
        name = digest(characters)
        if name not in self._images and len(characters) >= IMAGE_MIN:
            image = decoded(characters)
            if image is not None:
                self._images[name] = Image(self._blobs.put(image), len(characters))
        return self._images.get(name)

    def _literal(self, piece: bytes, *, first: bool) -> Inline | Stored:
        if len(piece) < BLOB_MIN:
            return Inline(piece)
        name = digest(piece)
        if first:
            self._shared[name] = Stored(self._blobs.put(piece), len(piece))
        return self._shared.get(name) or Inline(piece)


def _around_images(data: bytes, known: Callable[[bytes], Image | None]) -> Iterator[Inline | Image]:
    """The images of some bytes, as far as they are known, and what is between them."""
    end = 0
    for match in _IMAGE.finditer(data):
        image = known(match[1])
        if image is not None:
            yield Inline(data[end : match.start(1)])
            yield image
            end = match.end(1)
    if end < len(data):
        yield Inline(data[end:])


def places(data: bytes) -> list[bytes]:
    """The pieces of a request: cut before each message and before the tools, after which nothing is cut."""
    tools = _TOOLS.search(data)
    end = tools.start() if tools else len(data)
    return [piece for piece in (*_PLACE.split(data[:end]), data[end:]) if piece]


def joined(segments: Iterable[Inline | Stored]) -> Iterator[Inline | Stored]:
    """The same with neighbouring bytes in one segment."""
    held = b""
    for segment in segments:
        if isinstance(segment, Inline):
            held += segment.data
            continue
        if held:
            yield Inline(held)
        held = b""
        yield segment
    if held:
        yield Inline(held)


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
