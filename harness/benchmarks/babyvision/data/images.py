"""Images of the data: each is decoded whole; what OpenCode doesn't pass on becomes PNG without loss.

Files come from outside: their size, their dimensions and the decoders that see them are bounded before any decoding.
"""

import io
import warnings
from typing import Any, Final

import attrs

from harness.benchmarks.babyvision.puzzle import Original
from harness.store.digests import digest

BYTES_MAX: Final = 32 << 20  # of one file; all 388 together have 51 MB
PIXELS_MAX: Final = 12_000_000  # of one image, which take 48 MB; BabyVision's largest has 3.4 million
SIDE_MAX: Final = 16_384

# Pillow's names of formats: what reaches the agent byte for byte, and what becomes PNG.
_PASSED: Final = ("PNG", "JPEG", "WEBP", "GIF")
_CONVERTED: Final = ("BMP", "TIFF")

# Modes that a PNG file holds as they are, with every bit.
_PNG_MODES: Final = {"1", "L", "LA", "P", "RGB", "RGBA", "I;16"}
_LOSSY_TIFF: Final = {"jpeg", "tiff_jpeg", "webp"}
_BITS_PER_SAMPLE: Final = 258  # TIFF's tag


@attrs.frozen
class Image:
    """An image as the agent gets it; ``original`` where it was converted."""

    data: bytes = attrs.field(repr=False)
    original: Original | None = None


def accept(data: bytes) -> Image:
    """Check one image and convert it if need be; raises ValueError with the reason why it can't be used."""
    if len(data) > BYTES_MAX:
        raise ValueError(f"has {len(data):,} bytes; at most {BYTES_MAX:,} are read")
    from PIL import Image as pillow  # noqa: N813 (a run over an installed set does without Pillow)
    from PIL import UnidentifiedImageError

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with pillow.open(io.BytesIO(data), formats=(*_PASSED, *_CONVERTED)) as picture:
                _measure(picture)
                picture.load()
                if picture.format in _CONVERTED:
                    return Image(_to_png(picture, pillow), Original(digest(data), str(picture.format)))
                return Image(data)
        except UnidentifiedImageError:
            raise ValueError(
                f"is no PNG, JPEG, WebP, GIF, BMP or TIFF file: it begins with {data[:8].hex(' ') or 'nothing'}"
            ) from None
        except _UnfitError as error:
            raise ValueError(str(error)) from None
        except pillow.DecompressionBombError:
            raise ValueError(f"has too many pixels; at most {PIXELS_MAX:,} are read") from None
        except Exception as error:  # noqa: BLE001 (bytes from outside make decoders raise anything)
            raise ValueError(f"can't be decoded: {error}") from None


class _UnfitError(Exception):
    """An image that is whole, but can't be used."""


def _measure(picture: Any) -> None:
    width, height = picture.size
    if max(width, height) > SIDE_MAX or width * height > PIXELS_MAX:
        raise _UnfitError(
            f"is {width} x {height} pixels; at most {SIDE_MAX:,} a side and {PIXELS_MAX:,} in all are decoded"
        )


def _bits(picture: Any) -> tuple[int, ...]:
    return tuple(picture.tag_v2.get(_BITS_PER_SAMPLE, ())) if picture.format == "TIFF" else ()


def _to_png(picture: Any, pillow: Any) -> bytes:
    """The PNG file with the very same pixels; the encoder's settings are fixed, and its version is pinned.

    A TIFF that asks to be turned was turned when it was decoded.
    """
    name = picture.format
    if getattr(picture, "is_animated", False):
        raise _UnfitError(f"is a {name} file of several pictures, of which PNG would keep one")
    if picture.mode not in _PNG_MODES:
        raise _UnfitError(f"is a {name} file of mode {picture.mode}, which PNG can't hold without loss")
    if picture.mode != "I;16" and any(bits > 8 for bits in _bits(picture)):
        raise _UnfitError(f"is a {name} file with more than 8 bits a channel, of which decoding would keep 8")
    if picture.info.get("compression") in _LOSSY_TIFF:
        raise _UnfitError(f"is a {name} file with lossy compression; convert it to PNG or JPEG first")
    target = io.BytesIO()
    picture.save(target, format="PNG", compress_level=9, optimize=False)
    data = target.getvalue()
    with pillow.open(io.BytesIO(data), formats=("PNG",)) as written:
        written.load()
        same = (written.mode, written.size, written.tobytes()) == (picture.mode, picture.size, picture.tobytes())
        if not same or written.getpalette() != picture.getpalette():
            raise _UnfitError(f"is a {name} file that PNG can't hold without loss")
    return data
