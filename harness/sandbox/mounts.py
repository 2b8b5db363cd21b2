"""Mounting and unmounting in the harness's own mount namespace; the pinned runtime has no mount program."""

import ctypes
import errno
import os
import re
from pathlib import Path

import attrs

from harness.errors import SandboxError

MS_NOSUID, MS_NODEV, MS_NOEXEC = 2, 4, 8
MNT_DETACH, UMOUNT_NOFOLLOW = 2, 8

_libc = ctypes.CDLL(None, use_errno=True)


def tmpfs(where: Path, size: int, inodes: int, *, mode: int, owner: int = 0, executable: bool = False) -> None:
    """A new empty file system in memory on the folder ``where``.

    Args:
        size: bytes; the kernel rounds up to whole pages.
        inodes: files and folders, its root included. Without a bound a sandbox could fill the kernel's own memory
            with empty files, which no size counts.
        owner: uid and gid of its root folder.

    Raises:
        SandboxError: the kernel refused.
    """
    if size <= 0 or inodes <= 0:
        raise ValueError("to a tmpfs a limit of 0 means none")
    flags = MS_NOSUID | MS_NODEV | (0 if executable else MS_NOEXEC)
    options = f"size={size},nr_inodes={inodes},mode={mode:o},uid={owner},gid={owner}"
    if _libc.mount(b"tmpfs", os.fsencode(where), b"tmpfs", ctypes.c_ulong(flags), options.encode()) != 0:
        raise SandboxError(f"No tmpfs can be mounted on {where} ({options}): {os.strerror(ctypes.get_errno())}")


def overlay(where: Path, lower: Path, upper: Path, work: Path) -> None:
    """The kernel's own overlay, as podman mounts it in a user namespace.

    Raises:
        SandboxError: the kernel refused.
    """
    options = f"lowerdir={lower},upperdir={upper},workdir={work},userxattr"
    if _libc.mount(b"overlay", os.fsencode(where), b"overlay", ctypes.c_ulong(0), options.encode()) != 0:
        raise SandboxError(f"No overlay can be mounted on {where} ({options}): {os.strerror(ctypes.get_errno())}")


def unmount(where: Path) -> None:
    """Takes the mount off at once, whoever still uses it; nothing happens where none is."""
    if _libc.umount2(os.fsencode(where), MNT_DETACH | UMOUNT_NOFOLLOW) != 0:
        code = ctypes.get_errno()
        if code not in (errno.EINVAL, errno.ENOENT):
            raise SandboxError(f"{where} can't be unmounted: {os.strerror(code)}")


@attrs.frozen
class Mount:
    """The file system that is mounted on ``point``: its type, and options such as ``nosuid``."""

    point: Path
    kind: str
    options: frozenset[str]


def table() -> str:
    """The text of /proc/self/mountinfo. Somebody may have mounted something at a path that is no UTF-8."""
    return os.fsdecode(Path("/proc/self/mountinfo").read_bytes())


def parse(mountinfo: str) -> tuple[Mount, ...]:
    """The text of /proc/self/mountinfo, in its order: a later mount covers an earlier one."""
    found = []
    for line in filter(None, mountinfo.split("\n")):  # a path may hold what ends a line elsewhere
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        # Blank, tab, newline and backslash stand there as octal escapes.
        point = Path(re.sub(r"\\(\d{3})", lambda code: chr(int(code[1], 8)), fields[4]))
        found.append(Mount(point, after.split(" ")[0], frozenset(fields[5].split(","))))
    return tuple(found)


def of(path: Path, mountinfo: str) -> Mount:
    """The file system that ``path``, absolute and without links, is on. In a chroot it may not be told."""
    holding = [one for one in parse(mountinfo) if one.point == path or one.point in path.parents]
    deepest = max((len(one.point.parts) for one in holding), default=0)
    untold = Mount(Path("/"), "an unknown file system", frozenset())
    return next((one for one in reversed(holding) if len(one.point.parts) == deepest), untold)


def below(folder: Path, mountinfo: str) -> tuple[Path, ...]:
    """The mount points under ``folder`` in the text of /proc/self/mountinfo, the newest first."""
    return tuple(one.point for one in reversed(parse(mountinfo)) if folder in one.point.parents)


def unmount_below(folder: Path) -> None:
    """Takes off everything that is mounted under ``folder``, so that nothing of it is entered when it is removed."""
    for point in below(folder, table()):
        unmount(point)
