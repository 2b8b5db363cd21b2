"""Removing a tree that others made: however deep, of whatever modes and names, and nothing beside it.

A folder in the tree is first moved to the tree's top, and there it is emptied. So a path of ten thousand names needs no
ten thousand open folders; no link is followed, since each name is used in an open folder; and where something is
mounted the kernel refuses the move, so what is mounted there is not touched.
"""

import contextlib
import os
import secrets
import stat
from collections.abc import Callable, Iterator
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
            trouble.clear()
            some = _clear(top, trouble, lambda name: _empty(name, top, trouble))
    if trouble:
        raise trouble[0]
    os.rmdir(path, dir_fd=folder)


def _clear(folder: int, trouble: list[OSError], with_folder: Callable[[str], object]) -> bool:
    """Remove each entry, or do that with a folder in it. Whether anything went; what didn't is added to the trouble."""
    some = False
    with os.scandir(folder) as found:
        for entry in found:
            try:
                if entry.is_dir(follow_symlinks=False):
                    with_folder(entry.name)
                else:
                    os.unlink(entry.name, dir_fd=folder)
                some = True
            except OSError as error:
                trouble.append(error)
    return some


def _empty(name: str, top: int, trouble: list[OSError]) -> None:
    """Remove a folder of the top; the folders in it come to the top."""
    aside = _move(name, top, top)
    with _opened(aside, top) as inner:
        _clear(inner, trouble, lambda name: _move(name, inner, top))
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
