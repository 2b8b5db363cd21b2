"""Removing a tree that others made: however deep, of whatever modes and names, and nothing beside it.

A folder in the tree is first moved to the tree's top, and there it is emptied. So a path of ten thousand names needs no
ten thousand open folders; no link is followed, since each name is used in an open folder; and where something is
mounted the kernel refuses the move, so what is mounted there is not touched.
"""

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


def remove(path: Path | str, folder: int | None = None) -> None:
    """Remove a file, a link, or a folder with all that is in it; nothing happens where none is there.

    ``folder``: a handle of the folder that a relative ``path`` starts from. Raises OSError, the first one, when all is
    gone that could go.
    """
    try:
        status = os.stat(path, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(status.st_mode):
        os.unlink(path, dir_fd=folder)
        return
    with _opened(path, folder) as top:
        some, trouble = True, list[OSError]()
        while some:  # a folder that changes while it is read may not tell all
            some, trouble = _remove_some(top)
    if trouble:
        raise trouble[0]
    os.rmdir(path, dir_fd=folder)


def _remove_some(top: int) -> tuple[bool, list[OSError]]:
    """Remove what is at the top; what is in folders there comes to the top. Whether anything went, and what didn't."""
    some, trouble = False, list[OSError]()
    with os.scandir(top) as found:
        for entry in found:
            try:
                if entry.is_dir(follow_symlinks=False):
                    _remove_folder(entry.name, top, trouble)
                else:
                    os.unlink(entry.name, dir_fd=top)
                some = True
            except OSError as error:
                trouble.append(error)
    return some, trouble


def _remove_folder(name: str, top: int, trouble: list[OSError]) -> None:
    aside = _move(name, top, top)
    with _opened(aside, top) as inner, os.scandir(inner) as found:
        for entry in found:
            try:
                if entry.is_dir(follow_symlinks=False):
                    _move(entry.name, inner, top)
                else:
                    os.unlink(entry.name, dir_fd=inner)
            except OSError as error:
                trouble.append(error)
    os.rmdir(aside, dir_fd=top)


def _move(name: str, folder: int, top: int) -> str:
    """Move a folder to the top under a new name, which comes back."""
    aside = f".{secrets.token_hex(8)}"
    with _opened(name, folder):  # else a folder that may not be written to could not be moved
        os.rename(name, aside, src_dir_fd=folder, dst_dir_fd=top)
    return aside


@contextlib.contextmanager
def _opened(path: Path | str, folder: int | None) -> Iterator[int]:
    """A handle of a folder, no link, that may be read and written to from now on; raises OSError."""
    found = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        if os.fstat(found).st_mode & stat.S_IRWXU != stat.S_IRWXU:
            # Through this name it is the open folder itself whose mode changes, whatever stands at the path by now.
            with contextlib.suppress(PermissionError):
                os.chmod(f"/proc/self/fd/{found}", stat.S_IRWXU)  # noqa: PTH101 - no path of a file
        handle = os.open(".", _FOLDER, dir_fd=found)
    finally:
        os.close(found)
    try:
        yield handle
    finally:
        os.close(handle)
