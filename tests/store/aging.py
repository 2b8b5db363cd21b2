"""Files that look old: a collector goes by their times."""

import os
import time
from pathlib import Path

DAY = 86400.0
TEMPORARY_NAME = "." + "ab" * 8


def age(path: Path, days: float = 2) -> Path:
    """Make a file, or all below a folder, so many days older."""
    for one in (path, *path.rglob("*")):
        os.utime(one, (time.time() - days * DAY,) * 2, follow_symlinks=False)
    return path


def floor() -> float:
    return time.time() - DAY
