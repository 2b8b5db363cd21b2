"""SHA-256 digests as 64 lower-case hexadecimal digits, and nothing else."""

import hashlib
import re
from pathlib import Path
from typing import NewType

from harness.errors import CanonicalError
from harness.store.foreign.plain import open_plain, too_large

Digest = NewType("Digest", str)

_FORM = re.compile(r"[0-9a-f]{64}")


def digest(data: bytes) -> Digest:
    """The SHA-256 of some bytes."""
    return Digest(hashlib.sha256(data).hexdigest())


def file_digest(path: Path, most: int | None = None) -> Digest:
    """The SHA-256 of a plain file, read in pieces; raises OSError, also where it has more bytes than ``most``."""
    handle, status = open_plain(path)
    with open(handle, "rb") as file:  # noqa: PTH123 - a handle
        if most is not None and status.st_size > most:
            raise too_large(path, status.st_size, most)
        return Digest(hashlib.file_digest(file, "sha256").hexdigest())


def parse_digest(text: object) -> Digest:
    """Take a digest that comes from outside; raises CanonicalError for any other text or thing."""
    if not isinstance(text, str) or _FORM.fullmatch(text) is None:
        raise CanonicalError(f"{text!r} is no SHA-256 digest: 64 lower-case hexadecimal digits are expected.")
    return Digest(text)
