"""Drawing and encoding such that the bytes are the same on every machine: whole pixels, no fonts, fixed encoders."""

from collections.abc import Sequence
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from harness.benchmarks.demo.look import PALETTE

Picture: TypeAlias = NDArray[np.uint8]
Point: TypeAlias = tuple[int, int]


def blank(width: int, height: int) -> Picture:
    """A white picture."""
    return np.full((height, width, 3), 255, dtype=np.uint8)


def disc(picture: Picture, ink: str, centre: Point, radius: int) -> None:
    cv2.circle(picture, centre, radius, PALETTE[ink], cv2.FILLED)


def box(picture: Picture, ink: str, corner: Point, width: int, height: int) -> None:
    cv2.rectangle(picture, corner, (corner[0] + width - 1, corner[1] + height - 1), PALETTE[ink], cv2.FILLED)


def frame(picture: Picture, ink: str, corner: Point, width: int, height: int) -> None:
    cv2.rectangle(picture, corner, (corner[0] + width - 1, corner[1] + height - 1), PALETTE[ink], 3)


def polygon(picture: Picture, ink: str, points: Sequence[Point]) -> None:
    cv2.fillPoly(picture, [np.array(points, dtype=np.int32)], PALETTE[ink])


def outline(picture: Picture, ink: str, points: Sequence[Point]) -> None:
    cv2.polylines(picture, [np.array(points, dtype=np.int32)], True, PALETTE[ink], 3)


def line(picture: Picture, ink: str, points: Sequence[Point], width: int) -> None:
    cv2.polylines(picture, [np.array(points, dtype=np.int32)], False, PALETTE[ink], width)


def encode(picture: Picture, suffix: str) -> bytes:
    """The file's bytes; ``suffix`` is ``.png`` or ``.jpg``."""
    options = {
        ".png": [cv2.IMWRITE_PNG_COMPRESSION, 9, cv2.IMWRITE_PNG_FILTER, cv2.IMWRITE_PNG_FILTER_NONE],
        ".jpg": [cv2.IMWRITE_JPEG_QUALITY, 95, cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444],
    }
    done, data = cv2.imencode(suffix, picture, options[suffix])
    assert done
    return bytes(data)


def decode(data: bytes) -> Picture:
    """The pixels of a PNG or JPEG file.

    Raises:
        ValueError: the bytes are neither.
    """
    picture: Picture | None = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), cv2.IMREAD_COLOR) if data else None
    if picture is None:
        raise ValueError(f"{len(data)} bytes that are no picture")
    return picture
