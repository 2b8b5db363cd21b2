"""A task as an agent gets it: the prompt and the images, without anything that tells the answer."""

from collections.abc import Sequence
from typing import Final

import attrs

from harness.errors import UsageError

# First bytes of the formats that OpenCode passes on as they are (BMP and TIFF end it with status 1).
_SIGNATURES: Final = ((b"\x89PNG\r\n\x1a\n", "png"), (b"\xff\xd8\xff", "jpg"), (b"GIF87a", "gif"), (b"GIF89a", "gif"))


def image_suffix(data: bytes) -> str:
    """``png``, ``jpg``, ``webp`` or ``gif``, told from the bytes alone.

    Raises:
        UsageError: it is none of the four.
    """
    for signature, suffix in _SIGNATURES:
        if data.startswith(signature):
            return suffix
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "webp"
    raise UsageError(
        f"An image that begins with {data[:8].hex(' ') or 'nothing'} is not PNG, JPEG, WebP or GIF. Convert it first."
    )


@attrs.frozen
class TaskImage:
    """One image: ``name`` is its neutral file name in the sandbox, ``data`` the bytes as the benchmark has them."""

    name: str
    data: bytes = attrs.field(repr=False)


def neutral_names(images: Sequence[bytes]) -> tuple[TaskImage, ...]:
    """Names the images so that no name tells anything: ``image.png``, or ``image-1.png`` and so on for several."""
    numbers = [""] if len(images) == 1 else [f"-{number}" for number in range(1, len(images) + 1)]
    return tuple(
        TaskImage(f"image{number}.{image_suffix(data)}", data) for number, data in zip(numbers, images, strict=True)
    )


@attrs.frozen
class Task:
    """What one attempt asks.

    ``id`` is the benchmark's name for it, ``prompt`` the whole text that the agent gets, ``timeout`` the seconds
    that the agent may take.
    """

    id: str
    prompt: str
    images: tuple[TaskImage, ...]
    timeout: float
