"""Reading a small file that a setting names."""

import os
import stat
from pathlib import Path
from typing import BinaryIO

from harness.errors import UsageError


def opened(path: Path) -> BinaryIO:
    """The file, open for reading; where the path is a pipe nobody waits for its writer. Raises OSError."""
    return open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK))


def read_plain(path: Path, what: str, largest: int) -> bytes:
    """The bytes of a plain file of at most ``largest`` bytes; UsageError for anything else, which calls it ``what``."""
    try:
        with opened(path) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise UsageError(f"{what} {path} is no plain file.")
            data = file.read(largest + 1)
    except OSError as error:
        raise UsageError(f"{what} {path} can't be read: {error.strerror}.") from None
    if len(data) > largest:
        raise UsageError(f"{what} {path} is larger than {largest >> 10} KiB.")
    return data
