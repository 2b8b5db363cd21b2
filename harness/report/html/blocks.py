"""Data in a page: blocks that no browser runs or shows, and that the page's script reads when they are needed."""

import json
from typing import Final

from harness.report.conversation import Picture
from harness.store.canonical import JSON

# Nothing that ends a block or begins a comment in it. All beyond ASCII, lone surrogates too, is escaped by json.
_ESCAPES: Final = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&"}


def data(name: str, value: JSON) -> bytes:
    """A value as a block with this id; ``JSON.parse`` gives it back, lone surrogates and all."""
    text = json.dumps(value, separators=(",", ":"), sort_keys=True).translate(_ESCAPES)
    return f'<script type="application/json" id="{name}">{text}</script>\n'.encode("ascii")


def image(picture: Picture) -> bytes:
    """An image as a block of base64; the record's reader has told its type by its bytes, and there is no SVG."""
    encoded = picture.url.partition(",")[2]
    return f'<script type="text/plain" id="i-{picture.sha256}">{encoded}</script>\n'.encode("ascii")


def image_name(picture: Picture) -> str:
    """The name of an image's file where images are files."""
    return f"{picture.sha256}.{picture.media_type.removeprefix('image/')}"
