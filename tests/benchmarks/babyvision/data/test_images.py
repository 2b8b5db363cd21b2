"""Which images are taken, which become PNG, and that no pixel changes."""

import io
import struct
import zlib
from typing import Any

import pytest
from PIL import Image, ImageSequence

from harness.benchmarks.babyvision.data import images
from harness.benchmarks.babyvision.data.images import accept
from harness.store.digests import digest
from tests.benchmarks.babyvision.synthetic import picture


def read(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data))


def saved(image: Image.Image, file_format: str, **options: Any) -> bytes:
    target = io.BytesIO()
    image.save(target, file_format, **options)
    return target.getvalue()


@pytest.mark.parametrize("file_format", ["PNG", "JPEG", "WEBP", "GIF"])
def test_what_opencode_passes_on_is_kept_byte_for_byte(file_format: str) -> None:
    data = picture(1, file_format)
    assert accept(data) == images.Image(data, None)


@pytest.mark.parametrize(
    ("file_format", "mode"),
    [
        *(("BMP", mode) for mode in ("1", "L", "P", "RGB")),
        *(("TIFF", mode) for mode in ("1", "L", "LA", "P", "RGB", "RGBA", "I;16")),
    ],
)
def test_bmp_and_tiff_become_png_with_the_same_pixels(file_format: str, mode: str) -> None:
    plain = read(picture(2, "PNG", "RGB", (64, 48)))
    before = saved(plain.convert("I").convert("I;16") if mode == "I;16" else plain.convert(mode), file_format)
    taken = accept(before)
    after = read(taken.data)
    assert after.format == "PNG"
    assert (after.size, after.tobytes()) == (read(before).size, read(before).tobytes())
    assert after.convert("RGBA").tobytes() == read(before).convert("RGBA").tobytes()
    assert taken.original is not None
    assert (taken.original.sha256, taken.original.format) == (digest(before), file_format)


def test_a_conversion_gives_the_same_bytes_each_time() -> None:
    assert digest(accept(picture(3, "BMP")).data) == digest(accept(picture(3, "TIFF")).data)


NOISE = read(picture(4, "PNG"))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (saved(NOISE.convert("CMYK"), "TIFF"), "of mode CMYK"),
        (saved(NOISE.convert("F"), "TIFF"), "of mode F"),
        (saved(NOISE, "TIFF", compression="jpeg"), "lossy compression"),
        (saved(NOISE, "TIFF", save_all=True, append_images=[NOISE]), "several pictures"),
        (saved(NOISE, "ICO"), "is no PNG, JPEG"),
        (saved(NOISE, "PPM"), "is no PNG, JPEG"),
        (saved(NOISE, "JPEG2000"), "is no PNG, JPEG"),
        (picture(5, "BMP")[:-9], "can't be decoded"),
        (picture(5, "TIFF")[:-9], "can't be decoded"),
        (b"", "it begins with nothing"),
    ],
)
def test_what_cannot_be_taken_without_loss_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        accept(data)


def test_sixteen_bits_a_channel_are_refused_as_decoding_would_halve_them() -> None:
    data = bytearray(saved(NOISE, "TIFF"))
    pixels = struct.pack("<HHH", 16, 16, 16)
    at = data.index(struct.pack("<HHH", 8, 8, 8))  # BitsPerSample
    data[at : at + 6] = pixels
    counts = data.index(struct.pack("<HHLL", 279, 4, 1, 12 * 9 * 3))  # StripByteCounts
    data[counts + 8 : counts + 12] = struct.pack("<L", 12 * 9 * 6)
    with pytest.raises(ValueError, match="more than 8 bits"):
        accept(bytes(data) + bytes(12 * 9 * 3))


def test_a_tiff_that_asks_to_be_turned_is_turned() -> None:
    turned = read(accept(saved(NOISE, "TIFF", tiffinfo={274: 6})).data)
    assert turned.tobytes() == NOISE.transpose(Image.Transpose.ROTATE_270).tobytes()


@pytest.mark.parametrize("size", [(20_000, 1), (1, 20_000), (8_000, 8_000)])
def test_dimensions_are_checked_before_anything_is_decoded(size: tuple[int, int]) -> None:
    data = bytearray(picture(6, "PNG"))
    data[16:24] = struct.pack(">LL", *size)
    data[29:33] = struct.pack(">L", zlib.crc32(data[12:29]))
    with pytest.raises(ValueError, match=f"is {size[0]} x {size[1]} pixels"):
        accept(bytes(data))


def test_pixels_without_end_are_refused() -> None:
    data = bytearray(picture(6, "PNG"))
    data[16:24] = struct.pack(">LL", 2_000_000_000, 2_000_000_000)
    data[29:33] = struct.pack(">L", zlib.crc32(data[12:29]))
    with pytest.raises(ValueError, match="pixels"):
        accept(bytes(data))


def test_a_file_of_too_many_bytes_is_refused_unread() -> None:
    with pytest.raises(ValueError, match="33,554,433 bytes"):
        accept(bytes(images.BYTES_MAX + 1))


def test_the_first_picture_of_an_animation_that_opencode_passes_on_is_enough() -> None:
    moving = saved(NOISE.convert("P"), "GIF", save_all=True, append_images=[NOISE.rotate(90).convert("P")])
    assert len(list(ImageSequence.Iterator(read(moving)))) == 2
    assert accept(moving).data == moving
