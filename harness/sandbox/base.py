"""The folder of one user on this node that holds the states of all that user's harness processes."""

import errno
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Self

import attrs

from harness.errors import HostUnfitError, NoSpaceError, SandboxError
from harness.sandbox import idmapper

#: Podman's database, the overlays' empty upper folders and a log: a few MiB for each sandbox under way.
NEEDED_BYTES = 64 << 20
NEEDED_INODES = 2000
#: A UNIX socket's path has at most 107 bytes, and podman puts its own below ours.
LONGEST = 50
#: All else has a meaning somewhere on the way: in PATH, a URL, the options of a mount, or as the end of a word.
PLAIN = re.compile(r"[\w/.+@=~-]+")
ELSEWHERE = "Set HARNESS_STATE_DIR to a folder on this machine's own disk, with a path of under 35 bytes."


def parent(env: Mapping[str, str]) -> Path:
    """HARNESS_STATE_DIR, else /var/tmp, else TMPDIR: on this node's own disk, and the same for every process, so that
    the next one finds what a dead one left."""
    if env.get("HARNESS_STATE_DIR"):
        return Path(env["HARNESS_STATE_DIR"]).absolute()
    for folder in (Path("/var/tmp"), Path(env.get("TMPDIR", "/tmp"))):  # noqa: S108
        if os.access(folder, os.W_OK | os.X_OK):
            return folder
    raise HostUnfitError("Neither /var/tmp nor TMPDIR can be written to.", ELSEWHERE)


@attrs.frozen
class Room:
    """What is free of a file system: bytes, and inodes; None where their number isn't fixed (btrfs)."""

    bytes: int
    inodes: int | None

    @classmethod
    def of(cls, folder: Path) -> Self:
        """For an ordinary user."""
        found = os.statvfs(folder)
        return cls(found.f_bavail * found.f_frsize, found.f_favail if found.f_files else None)


def check_space(folder: Path, room: Room) -> None:
    """Refuses a disk on which podman could not even write its database."""
    if room.bytes < NEEDED_BYTES or (room.inodes is not None and room.inodes < NEEDED_INODES):
        raise NoSpaceError(
            f"{folder} has {room.bytes >> 20} MiB and {room.inodes} inodes free; sandboxes need {NEEDED_BYTES >> 20} "
            f"MiB and {NEEDED_INODES} inodes.",
            f"Make room, or: {ELSEWHERE}",
        )


@contextmanager
def no_space(folder: Path) -> Iterator[None]:
    """Turns the kernel's word for a full disk into one that says which disk and what to do."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise NoSpaceError(f"{folder}: {error.strerror}.", f"Make room, or: {ELSEWHERE}") from error


@contextmanager
def full_first(folder: Path) -> Iterator[None]:
    """Where podman failed and the disk is full, that is why: each sandbox would fail, and each attempt be used up."""
    try:
        yield
    except SandboxError:
        check_space(folder, Room.of(folder))
        raise


def folder(env: Mapping[str, str], uid: int) -> Path:
    """Makes ``hermetic-UID`` if need be, and checks that nobody else made it.

    Args:
        uid: of the user, as the host sees it.

    Raises:
        HostUnfitError: it can't be made, isn't ours, or its path is too long for sockets or not plain.
        NoSpaceError: the disk is full.
    """
    base = parent(env) / f"hermetic-{uid}"
    if len(os.fsencode(base)) > LONGEST:
        raise HostUnfitError(f"{base} is too long for the sockets below it.", ELSEWHERE)
    if PLAIN.fullmatch(str(base)) is None:
        raise HostUnfitError(f"{str(base)!r} holds other signs than letters, digits and /._+@=~-.", ELSEWHERE)
    try:
        with no_space(base):
            base.mkdir(mode=0o711, parents=True, exist_ok=True)
        found = base.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
            raise HostUnfitError(f"{base} is not a folder of this user's.", f"Remove it, or: {ELSEWHERE}")
        base.chmod(0o711)  # every sandbox's own ids pass through it to what is mounted into the sandbox
    except OSError as error:
        raise HostUnfitError(f"{base} can't be made: {error.strerror}.", ELSEWHERE) from error
    check_space(base, Room.of(base))
    return base


def link_helpers(base: Path, helpers: Mapping[str, Path]) -> Path:
    """A folder with links to newuidmap and newgidmap and nothing else, to stand on PATH instead of /usr/bin."""
    links = base / "bin"
    links.mkdir(mode=0o711, exist_ok=True)
    for name, target in helpers.items():
        link = links / name
        if not link.is_symlink() or link.readlink() != target:
            fresh = links / f".{name}-{secrets.token_hex(4)}"
            fresh.symlink_to(target)
            fresh.replace(link)
    return links


def own_helpers(base: Path) -> Path:
    """The same with `idmapper` under both names, for root of a namespace.

    Raises:
        HostUnfitError: nothing can be executed there.
    """
    if os.statvfs(base).f_flag & os.ST_NOEXEC:
        raise HostUnfitError(
            f"{base} is mounted noexec: as root of a namespace the harness must start a program of its own there.",
            ELSEWHERE,
        )
    folder = base / "mapping"
    folder.mkdir(mode=0o711, exist_ok=True)
    text = f"#!{sys.executable} -IS\n{Path(idmapper.__file__).read_text()}"
    for name in idmapper.FILES:
        file = folder / name
        if not file.exists() or file.read_text() != text:
            fresh = folder / f".{name}-{secrets.token_hex(4)}"
            fresh.write_text(text)
            fresh.chmod(0o700)
            fresh.replace(file)
    return folder
