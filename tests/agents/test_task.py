import pytest

from harness.agents.task import image_suffix, neutral_names
from harness.errors import UsageError

PNG = b"\x89PNG\r\n\x1a\n rest"
JPEG = b"\xff\xd8\xff\xe0 rest"
WEBP = b"RIFF\x00\x00\x00\x00WEBPVP8 "
GIF = b"GIF89a rest"


@pytest.mark.parametrize(
    ("data", "suffix"), [(PNG, "png"), (JPEG, "jpg"), (WEBP, "webp"), (GIF, "gif"), (b"GIF87a", "gif")]
)
def test_the_bytes_tell_the_suffix(data: bytes, suffix: str) -> None:
    assert image_suffix(data) == suffix


@pytest.mark.parametrize("data", [b"", b"BM\x00\x00", b"II*\x00", b"RIFF\x00\x00\x00\x00WAVE", b"<svg/>", PNG[:7]])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(UsageError, match="is not PNG, JPEG, WebP or GIF"):
        image_suffix(data)


def test_one_image_has_no_number() -> None:
    assert [image.name for image in neutral_names([JPEG])] == ["image.jpg"]


def test_several_images_are_numbered_in_order() -> None:
    assert [(image.name, image.data) for image in neutral_names([PNG, GIF])] == [
        ("image-1.png", PNG),
        ("image-2.gif", GIF),
    ]
