"""Many small files at once: each appears whole, and all are brought to the disk together.

One flush for each file would take minutes for thousands. All are written under temporary names, the filesystem is
flushed, each file gets its name, and the filesystem is flushed again.
"""

import contextlib
import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from harness.errors import StoreCorruptError
from harness.store import atomic, reading


def write_all(files: Iterable[tuple[Path, bytes]]) -> int:
    """Put these files at their paths, in place of others; how many there were that didn't hold their bytes yet.

    Raises as `harness.store.atomic.write` does; no file is half-written then.
    """
    changed = [(path, data) for path, data in files if _held(path) != data]
    if not changed:
        return 0
    temporaries = list[tuple[Path, Path]]()
    try:
        for path, data in changed:
            with atomic.explained(path):
                temporary = path.with_name(f".{secrets.token_hex(8)}")
                temporaries.append((temporary, path))
                _fill(temporary, data)
        folder = changed[0][0].parent
        flush(folder)
        for temporary, path in temporaries:
            with atomic.explained(path):
                temporary.replace(path)
        flush(folder)
    except BaseException:
        for temporary, _ in temporaries:
            temporary.unlink(missing_ok=True)
        raise
    return len(changed)


def _held(path: Path) -> bytes | None:
    with contextlib.suppress(StoreCorruptError):  # whatever it is, the file comes in its place
        return reading.read_if_there(path)
    return None


def _fill(path: Path, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        handle = os.open(path, flags, 0o644)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, flags, 0o644)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(handle, rest) :]
    finally:
        os.close(handle)


def flush(folder: Path) -> None:
    """Flush the filesystem of a folder; an error of any of its files is an error here, as `write_all` raises it."""
    with atomic.explained(folder):
        atomic.sync_filesystem(folder)
