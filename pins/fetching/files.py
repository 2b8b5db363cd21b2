"""Files on this machine against what was pinned."""

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from fetching.catalog import Pin
from fetching.problems import WrongBytesError


def sha256(path: Path) -> str:
    """Hexadecimal digest of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def is_right(path: Path, pin: Pin) -> bool:
    """Whether the file is there and is the pinned one."""
    return path.is_file() and path.stat().st_size == pin.size and sha256(path) == pin.sha256


def refuse(path: Path, pin: Pin, origin: str) -> WrongBytesError:
    """The error for a file that is not the pinned one; ``origin`` says where it came from."""
    return WrongBytesError(
        f"Refused {pin.file}: it is not the file that was pinned.\n"
        f"  pinned  sha256 {pin.sha256}, {pin.size} bytes\n"
        f"  found   sha256 {sha256(path)}, {path.stat().st_size} bytes, from {origin}"
    )


def _walk(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder, followlinks=True):
        folders.sort()
        for name in sorted(names):
            yield Path(parent, name)


def index(folder: Path, pins: Iterable[Pin]) -> dict[Pin, list[Path]]:
    """Where, anywhere below ``folder``, files stand that are named like each pin, by either of its names."""
    pins = tuple(pins)
    by_name = {name: pin for pin in pins for name in (pin.file, pin.store)}
    found: dict[Pin, list[Path]] = {pin: [] for pin in pins}
    for path in _walk(folder):
        if path.name in by_name:
            found[by_name[path.name]].append(path)
    return found
