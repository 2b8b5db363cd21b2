"""The file that a data set comes from: opened once, told from its content, held against digests."""

import contextlib
import hashlib
import os
import pwd
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final, Literal

import attrs

from harness.errors import UsageError
from harness.store.digests import Digest
from harness.store.foreign.plain import NotPlainError, open_plain

Kind = Literal["zip", "parquet"]

# The authors' file, at commit 7f92fd4b of their repository; NeMo Gym's preparation script checks the same figure.
ZIP_SHA256: Final = Digest("e5e16e7104b080bac7e67bb98d74bd5057f7151f487cd2f61991106253751e54")

BYTES_MAX: Final = 256 << 20  # both files have about 50 MB

_SIGNATURES: Final[dict[bytes, Kind]] = {b"PK\x03\x04": "zip", b"PAR1": "parquet"}


@attrs.frozen
class Source:
    """An open file. ``name`` is what people call it; ``kind`` was told from its content."""

    file: IO[bytes] = attrs.field(repr=False)
    name: str
    kind: Kind
    sha256: Digest
    size: int  # bytes


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Source]:
    """Open a file of the data; raises UsageError if it can't be read, isn't a plain file, is neither kind, or changed.

    A change is found at the end: whoever reads keeps nothing for good before then.
    """
    try:
        handle, _ = open_plain(path, follow=True)
    except NotPlainError:
        raise UsageError(f"The data file {path} is no plain file.") from None
    except PermissionError:
        raise UsageError(_unreadable(path)) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"The data file {path} can't be read: {reason}.") from None
    with os.fdopen(handle, "rb") as file:
        yield identified(file, str(path))


def identified(file: IO[bytes], name: str) -> Source:
    """What an open file is; raises UsageError if it is too large, empty, or neither kind."""
    size = file.seek(0, os.SEEK_END)
    if size > BYTES_MAX:
        raise UsageError(f"{name} has {size:,} bytes; BabyVision's files have about 50 MB.")
    file.seek(0)
    begin = file.read(4)
    if begin not in _SIGNATURES:
        what = f"begins with {begin.hex(' ')}" if begin else "is empty"
        raise UsageError(f"{name} is neither the authors' ZIP nor a parquet file: it {what}.")
    return Source(file, name, _SIGNATURES[begin], _digest(file), size)


def check_unchanged(source: Source) -> None:
    """Raise UsageError if the file isn't what it was when it was opened."""
    if _digest(source.file) != source.sha256:
        raise UsageError(f"{source.name} changed while it was read. Try again when nobody writes to it.")


def check_zip(source: Source, expected: Digest) -> None:
    """Raise UsageError if a ZIP isn't the pinned one."""
    if source.kind == "zip" and source.sha256 != expected:
        raise UsageError(
            f"{source.name} is not the authors' ZIP: its SHA-256 is {source.sha256}, expected is {expected}. "
            "Get it from its authors' own place: harness data fetch"
        )


def _digest(file: IO[bytes]) -> Digest:
    file.seek(0)
    found = hashlib.sha256()
    while piece := file.read(1 << 20):
        found.update(piece)
    file.seek(0)
    return Digest(found.hexdigest())


def _unreadable(path: Path) -> str:
    try:
        user = pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        user = f"with the id {os.geteuid()}"
    return (
        f"The user {user} may not read the data file {path}. Make it readable; or name it in BABYVISION_ZIP or "
        "BABYVISION_PARQUET, of which nix/setup.sh makes a copy that can be read."
    )
