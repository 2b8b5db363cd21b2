"""Free space, asked for before work starts: a run that stops for want of it has lost hours."""

import os
from pathlib import Path

from harness.errors import NoSpaceError
from harness.store.atomic import explained


def check_space(path: Path, needed: int) -> int:
    """The bytes that an ordinary user may still write at ``path``, which need not exist yet.

    Raises NoSpaceError when they are fewer than ``needed``.
    """
    existing = path.absolute()
    while not existing.exists():
        existing = existing.parent
    with explained(path):
        status = os.statvfs(existing)
    free = status.f_bavail * status.f_frsize
    require(existing, free, needed)
    return free


def require(folder: Path, free: int, needed: int) -> None:
    """Raises NoSpaceError when the ``free`` bytes of a folder are fewer than ``needed``."""
    if free < needed:
        raise NoSpaceError(
            f"{folder} has {free // 2**20:,} MiB free, but {-(-needed // 2**20):,} MiB are needed.",
            "Free some, or choose a folder on another disk.",
        )
