"""Images in a request: the bytes of a raster image in a ``data:`` URL, and nothing that anybody would have to fetch."""

import base64
import binascii
import hashlib
import re
from typing import Final

import attrs

from harness.gateway.fields import Refused, shown

# OpenCode 1.17.11 tells these four from their first bytes and sends no others. SVG is out on purpose: it can name
# remote files, which the model's endpoint might fetch.
_SIGNATURES: Final = {
    "png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "jpeg": re.compile(rb"\xff\xd8\xff"),
    "gif": re.compile(rb"GIF8[79]a"),
    "webp": re.compile(rb"RIFF.{4}WEBP", re.DOTALL),
}
_DATA_URL: Final = re.compile(r"data:image/(png|jpeg|gif|webp);base64,([A-Za-z0-9+/]+={0,2})")


@attrs.frozen
class Image:
    """An image in a message: SHA-256 of its bytes (hex)."""

    sha256: str


def is_kind(kind: str, data: bytes) -> bool:
    """Whether bytes begin as an image of this kind does."""
    return _SIGNATURES[kind].match(data) is not None


def image_of(data: bytes) -> Image:
    """The image with these bytes."""
    return Image(hashlib.sha256(data).hexdigest())


def read_data_url(url: str) -> Image:
    """The image in a URL of the one form that is allowed: ``data:image/TYPE;base64,...``.

    Raises:
        Refused: any other form, base64 that is not canonical, or bytes of another kind than the URL says.
    """
    match = _DATA_URL.fullmatch(url)
    if match is None:
        raise Refused(400, f"an image must be data:image/(png|jpeg|gif|webp);base64,... and not {shown(url[:60])}")
    try:
        data = base64.b64decode(match[2], validate=True)
    except binascii.Error as error:
        raise Refused(400, f"an image's base64 does not decode: {error}") from None
    # Spare bits in the last group could carry something past whoever compares the bytes.
    if base64.b64encode(data).decode() != match[2]:
        raise Refused(400, "an image's base64 is not in its canonical form")
    if not is_kind(match[1], data):
        raise Refused(400, f"an image is not the {match[1]} that its URL says")
    return image_of(data)
