"""Reading a small file that a setting names."""

from pathlib import Path

from harness.errors import UsageError
from harness.store.foreign import plain


def read_plain(path: Path, what: str, largest: int) -> bytes:
    """The bytes of a plain file of at most ``largest`` bytes; UsageError for anything else, which calls it ``what``."""
    try:
        return plain.read(path, largest, follow=True)
    except plain.NotPlainError:
        raise UsageError(f"{what} {path} is no plain file.") from None
    except plain.TooLargeError:
        raise UsageError(f"{what} {path} is larger than {largest >> 10} KiB.") from None
    except OSError as error:
        raise UsageError(f"{what} {path} can't be read: {error.strerror}.") from None
