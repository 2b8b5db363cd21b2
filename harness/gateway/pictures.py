"""Large images are taken out of a request's body before it is read as JSON, and put back where bytes are needed.

They are nearly all of a large body. As JSON they would be copied many times, and as wide characters where a single
emoji stands beside them; so each is checked where it stands, in small steps, and a short stand-in is read in its place.
A stand-in holds a number that is new for each request, so no sandbox can write one.
"""

import binascii
import hashlib
import re
import secrets
from collections.abc import Iterator, Mapping
from typing import Final

import attrs

from harness.gateway.images import Image, is_kind

# As JSON.stringify writes an image part. What is written otherwise stays where it is, and counts as text. Within JSON
# this can't stand in a string: the quote before url would end it.
_BEGIN: Final = b'{"url":"data:image/'
_QUOTED: Final = len(b'{"url":"')
_URL: Final = re.compile(rb"data:image/(png|jpeg|gif|webp);base64,")
_SHORTEST: Final = 4096  # bytes; shorter ones are no burden
_STEP: Final = 1 << 20  # characters decoded at a time, a multiple of 4


@attrs.frozen
class Pictures:
    """What was taken out of one body: the image and the bytes of the ``data:`` URL for each stand-in."""

    images: Mapping[str, Image]
    urls: Mapping[bytes, memoryview] = attrs.field(repr=False)

    def put_back(self, data: bytes) -> bytes:
        """The bytes with each stand-in replaced by its URL."""
        return b"".join(self._pieces(data)) if self.urls else data

    def move(self, data: bytes) -> "tuple[bytes, Pictures]":
        """The same, and pictures that no longer need the body that they were taken out of."""
        body = self.put_back(data)
        view, at, grown = memoryview(body), {}, 0
        for match in re.finditer(b"|".join(self.urls), data) if self.urls else ():
            at[match[0]] = match.start() + grown
            grown += len(self.urls[match[0]]) - len(match[0])
        return body, Pictures(self.images, {name: view[at[name] : at[name] + len(self.urls[name])] for name in at})

    def _pieces(self, data: bytes) -> Iterator[bytes | memoryview]:
        view, at = memoryview(data), 0
        for match in re.finditer(b"|".join(self.urls), data):
            yield view[at : match.start()]
            yield self.urls[match[0]]
            at = match.end()
        yield view[at:]


NONE: Final = Pictures({}, {})


def take_out(body: bytes) -> tuple[bytes, Pictures]:
    """The body with stand-ins, and what they stand for; ``body`` must stay as long as that is used."""
    view, pieces, kept, found = memoryview(body), [], 0, -1
    images: dict[str, Image] = {}
    urls: dict[bytes, memoryview] = {}
    nonce = secrets.token_hex(16)
    while (found := body.find(_BEGIN, found + 1)) >= 0:
        start = found + _QUOTED
        end = body.find(b'"', start)
        image = _image(body, view, start, end) if end - start >= _SHORTEST else None
        if image is not None:
            stand_in = f"image:{nonce}:{image.sha256}"
            images[stand_in] = image
            urls[stand_in.encode()] = view[start:end]
            pieces += [view[kept:start], memoryview(stand_in.encode())]
            kept = end
    return (b"".join([*pieces, view[kept:]]), Pictures(images, urls)) if images else (body, NONE)


def _image(body: bytes, view: memoryview, start: int, end: int) -> Image | None:
    """The image in a URL of the one form that is allowed; None for any other, which is then read as text."""
    match = _URL.match(body, start, end)
    if match is None or (end - match.end()) % 4:
        return None
    padding = body.find(b"=", match.end(), end)
    if 0 <= padding < end - 2:
        return None
    digest = hashlib.sha256()
    try:
        for at in range(match.end(), end, _STEP):
            data = binascii.a2b_base64(view[at : min(at + _STEP, end)], strict_mode=True)
            if at == match.end() and not is_kind(match[1].decode(), data):
                return None
            digest.update(data)
        last = body[end - 4 : end]
        # Spare bits in the last group could carry something past whoever compares the bytes.
        if binascii.b2a_base64(binascii.a2b_base64(last), newline=False) != last:
            return None
    except binascii.Error:
        return None
    return Image(digest.hexdigest())
