"""The images of a conversation: what each is, and writing them out."""

import io
import warnings
from collections.abc import Iterable
from pathlib import Path

from harness.errors import UsageError
from harness.report.conversation import Picture
from harness.store import atomic
from harness.store.canonical import JSON
from harness.store.digests import digest, file_digest
from harness.store.layout import encode_name


def described(picture: Picture) -> dict[str, JSON]:
    """Digest, type, bytes, and the width and height that its header says (null where it can't be read)."""
    data = picture.data()
    width, height = _size(data) or (None, None)
    return {
        "sha256": picture.sha256,
        "media_type": picture.media_type,
        "bytes": len(data),
        "width": width,
        "height": height,
    }


def write(folder: Path, task: str, repeat: int, pictures: Iterable[Picture]) -> list[Path]:
    """Write each image once, as TASK-REPEAT-N-DIGEST.ENDING; N counts from 1.

    A file of that name that holds the image already is left as it is. Raises UsageError for one that holds anything
    else, NoSpaceError or HarnessError where nothing can be written.
    """
    written = []
    for number, (name, picture) in enumerate({picture.sha256: picture for picture in pictures}.items(), start=1):
        ending = picture.media_type.removeprefix("image/").replace("jpeg", "jpg")
        path = folder / f"{encode_name(task)}-{repeat}-{number}-{name[:12]}.{ending}"
        data = picture.data()
        if not atomic.publish(path, data) and not _holds(path, data):
            raise UsageError(f"{path} is there and holds something else. Name another folder for the images.")
        written.append(path)
    return written


def _holds(path: Path, data: bytes) -> bool:
    try:
        return file_digest(path) == digest(data)
    except OSError:  # also a pipe, of which nobody waits for the other end
        return False


def _size(data: bytes) -> tuple[int, int] | None:
    """Only the header is read, by the decoders of the four formats that a conversation can hold."""
    from PIL import Image  # takes a tenth of a second

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with Image.open(io.BytesIO(data), formats=("PNG", "JPEG", "WEBP", "GIF")) as image:
                return image.size
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
            return None
