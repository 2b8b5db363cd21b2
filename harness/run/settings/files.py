"""Reading a small file that a setting names."""

import os
import stat
from pathlib import Path

from harness.errors import UsageError


def read_plain(path: Path, what: str, largest: int) -> bytes:
    """The bytes of a plain file of at most ``largest`` bytes; UsageError for anything else, which calls it ``what``."""
    try:
        # Not to wait for a writer where the path is a pipe: what isn't a plain file is refused.
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as opened:
            if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
                raise UsageError(f"{what} {path} is no plain file.")
            data = opened.read(largest + 1)
    except OSError as error:
        raise UsageError(f"{what} {path} can't be read: {error.strerror}.") from None
    if len(data) > largest:
        raise UsageError(f"{what} {path} is larger than {largest >> 10} KiB.")
    return data
