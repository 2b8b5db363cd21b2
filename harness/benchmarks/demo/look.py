"""Measures a picture: its parts of one colour each.

The scripted policy sends this very file to the sandbox's shell, and runs it on the crop that comes back.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

# Blue, green, red, as OpenCV has them; far enough apart to survive JPEG.
PALETTE = {
    "white": (255, 255, 255),
    "black": (30, 30, 30),
    "grey": (150, 150, 150),
    "red": (40, 40, 215),
    "green": (60, 160, 50),
    "blue": (220, 110, 30),
    "orange": (20, 150, 250),
    "purple": (160, 30, 140),
    "teal": (140, 140, 0),
}
SMALLEST = 12  # pixels; below that it is the noise at a JPEG's edges


def inks(picture: NDArray[np.uint8]) -> NDArray[np.intp]:
    """The index in PALETTE of the colour nearest to each pixel."""
    colours = np.array(list(PALETTE.values()), dtype=np.float32)
    # The squared distance less what is the same for every colour; whole numbers below 2**24, so exact.
    distances = (colours**2).sum(axis=1) - 2 * picture.astype(np.float32) @ colours.T
    nearest: NDArray[np.intp] = distances.argmin(axis=2)
    return nearest


def parts(picture: NDArray[np.uint8]) -> list[list[str | int]]:
    """Each connected part that isn't white, as [ink, x, y, width, height, area] in pixels, sorted."""
    nearest = inks(picture)
    found: list[list[str | int]] = []
    for index, ink in enumerate(PALETTE):
        if ink != "white":
            stats = cv2.connectedComponentsWithStats((nearest == index).astype(np.uint8), connectivity=8)[2]
            found += [[ink, *map(int, row)] for row in stats[1:] if row[4] >= SMALLEST]
    return sorted(found)
