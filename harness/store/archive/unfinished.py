"""Files and folders that are made beside their place and renamed when they are whole.

A process that is killed leaves one behind; its name begins with a dot and says what it was to become:
``.NAME.archive-HEX``, ``.NAME.bundle-HEX``, ``.NAME.import-HEX`` or ``.NAME.export-HEX``. Nobody ever reads it, and it
can be deleted.
"""

import contextlib
import ctypes
import errno
import os
import re
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal

from harness.store import atomic
from harness.store.foreign import removing

_LEFTOVER: Final = re.compile(r"\..*\.(archive|import|export|bundle)-[0-9a-f]{16}")
_libc = ctypes.CDLL(None, use_errno=True)

_AT_FDCWD: Final = -100  # linux/fcntl.h
_RENAME_NOREPLACE: Final = 1  # linux/fs.h


def is_leftover(name: str) -> bool:
    """Whether a file or folder of this name is an archive or a run that was not finished, or isn't yet."""
    return _LEFTOVER.fullmatch(name) is not None


def name_beside(target: Path, kind: Literal["archive", "import", "export", "bundle"]) -> Path:
    """A free name in ``target``'s folder."""
    return target.parent / f".{target.name[:200]}.{kind}-{secrets.token_hex(8)}"


@contextlib.contextmanager
def beside(target: Path, kind: Literal["archive", "import", "export", "bundle"]) -> Iterator[Path]:
    """A free name in ``target``'s folder; whatever is there at the end is deleted."""
    path = name_beside(target, kind)
    try:
        yield path
    finally:
        with contextlib.suppress(OSError):  # `harness gc` finds what stays
            removing.remove(path)


def put(path: Path, target: Path) -> bool:
    """Flush what was made and give it its name, a folder also in place of an empty one; False where one is there.

    Of two that come at once the first wins, and neither's bytes go. Raises OSError.
    """
    atomic.sync_filesystem(path)
    won = _put_folder(path, target) if path.is_dir() else claim(path, target)
    atomic.sync_folder(target.parent)
    return won


def claim(path: Path, target: Path) -> bool:
    """Give a file its name unless that is taken: only the filesystem decides. Raises OSError."""
    try:
        os.link(path, target)
    except FileExistsError:
        # An NFS client that sends its request twice is told "exists" by its own first one.
        return target.exists() and path.samefile(target)
    except OSError as error:
        if error.errno not in atomic.NO_LINKS:
            raise
        return _renamed(path, target)
    path.unlink(missing_ok=True)
    return True


def _put_folder(path: Path, target: Path) -> bool:
    try:
        path.rename(target)  # rename(2) puts a folder in place of nothing or of an empty folder only
    except OSError as error:
        if error.errno in {errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR}:
            return False
        raise
    return True


def _renamed(path: Path, target: Path) -> bool:
    """For filesystems without hard links, those of USB sticks say."""
    names = (os.fsencode(path), os.fsencode(target))
    if _libc.renameat2(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _RENAME_NOREPLACE) == 0:
        return True
    code = ctypes.get_errno()
    if code == errno.EEXIST:
        return False
    raise OSError(code, os.strerror(code), str(target))
