"""Files and folders that are made beside their place and renamed when they are whole.

A process that is killed leaves one behind; its name begins with a dot and says what it was to become:
``.NAME.archive-HEX`` or ``.NAME.import-HEX``. Nobody ever reads it, and it can be deleted.
"""

import contextlib
import ctypes
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal

from harness.store import atomic

_LEFTOVER: Final = re.compile(r"\..*\.(archive|import)-[0-9a-f]{16}")
_libc = ctypes.CDLL(None, use_errno=True)


def is_leftover(name: str) -> bool:
    """Whether a file or folder of this name is an archive or a run that was not finished, or isn't yet."""
    return _LEFTOVER.fullmatch(name) is not None


@contextlib.contextmanager
def beside(target: Path, kind: Literal["archive", "import"]) -> Iterator[Path]:
    """A free name in ``target``'s folder; whatever is there at the end is deleted."""
    path = target.parent / f".{target.name[:200]}.{kind}-{secrets.token_hex(8)}"
    try:
        yield path
    finally:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def put(path: Path, target: Path) -> None:
    """Flush what was made and give it its name, in place of nothing or of an empty folder."""
    sync(path)
    path.rename(target)
    atomic.sync_folder(target.parent)


def sync(path: Path) -> None:
    """Flush everything on the filesystem of ``path``: one call for any number of files; raises OSError."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if _libc.syncfs(handle) != 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code), str(path))
    finally:
        os.close(handle)
