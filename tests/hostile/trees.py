"""Making what a sandbox, or somebody with a folder, can put in the place of a file or a tree."""

import contextlib
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs


@attrs.frozen
class Case:
    """``make`` puts something at a path; ``refused``: words of the refusal, else ``read`` comes of it."""

    make: Callable[[Path], Any]
    refused: str = ""
    read: Any = None


def plain(data: bytes) -> Callable[[Path], Any]:
    return lambda path: path.write_bytes(data)


def sparse(size: int) -> Callable[[Path], Any]:
    """A file of zeros that takes no room on the disk."""

    def make(path: Path) -> None:
        path.write_bytes(b"")
        os.truncate(path, size)

    return make


def link(path: Path) -> None:
    """To a file outside, with something in it."""
    (path.parent.parent / "outside").write_bytes(b"outside")
    path.symlink_to(path.parent.parent / "outside")


def hard_link(path: Path) -> None:
    (path.parent.parent / "outside").write_bytes(b"outside")
    path.hardlink_to(path.parent.parent / "outside")


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def loop(path: Path) -> None:
    path.symlink_to(path)


def unix_socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # a socket's name is short
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind("s")
        Path("s").rename(path.name)
    finally:
        os.chdir(here)


def odd_modes(path: Path) -> None:
    """Setuid, and extended attributes where the filesystem has them: neither is looked at."""
    path.write_bytes(b"data")
    with contextlib.suppress(PermissionError):  # a build sandbox forbids setuid files
        path.chmod(0o6755)
    try:
        os.setxattr(path, "user.odd", b"x" * 1000)
    except OSError as error:
        assert error.errno == 95, error  # noqa: PT017 - EOPNOTSUPP: a build sandbox's tmpfs has none


def deep(path: Path, depth: int) -> None:
    """Folders in folders, deeper than a path can say."""
    path.mkdir(exist_ok=True)
    above = os.open(path, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("n" * 100, dir_fd=above)
        inner = os.open("n" * 100, os.O_RDONLY, dir_fd=above)
        os.close(above)
        above = inner
    os.close(above)


def many(path: Path, count: int) -> None:
    path.mkdir(exist_ok=True)
    above = os.open(path, os.O_RDONLY)
    for number in range(count):
        os.close(os.open(f"{number}", os.O_CREAT | os.O_WRONLY, dir_fd=above))
    os.close(above)


OUTPUTS: dict[str, Case] = {
    "a plain file": Case(plain(b"data"), read=4),
    "an empty file": Case(plain(b""), read=0),
    "a setuid file with extended attributes": Case(odd_modes, read=4),
    "a sparse file of 8 TiB": Case(sparse(8 << 40), read=32 << 20),
    "a file of 40 MiB": Case(plain(b"x" * (40 << 20)), read=32 << 20),
    "a symbolic link": Case(link, "it is a symbolic link"),
    "a symbolic link to a device": Case(endless, "it is a symbolic link"),
    "a loop of links": Case(loop, "it is a symbolic link"),
    "a hard link to a file outside": Case(hard_link, "it has another name too"),
    "a FIFO": Case(os.mkfifo, "it is a FIFO"),
    "a socket": Case(unix_socket, "it is a socket"),
    "a folder": Case(Path.mkdir, "it is a folder"),
    "nothing": Case(lambda _: None, "No such file"),
}

# Texts, calls and unreadable lines of the agent's events.
TEXT = b'{"type":"text","sessionID":"ses_a","part":{"text":"' + b"word " * 40 + b'"}}\n'
CALL = b'{"type":"tool_use","part":{"callID":"c","state":{"output":"%s"}}}\n'
EVENTS: dict[str, Case] = {
    "two events": Case(plain(TEXT + CALL % b"x"), read=[1, 1, 0]),
    "256 MiB of zeros": Case(sparse(256 << 20), read=[0, 0, 1]),
    "32 MiB of texts": Case(plain(TEXT * ((32 << 20) // len(TEXT))), read=[100_000, 0, 0]),
    "an image of 20 MiB": Case(plain(CALL % (b"iVBO" * (5 << 20)) + TEXT), read=[1, 1, 0]),
    "a line of 20 MiB of letters that take four bytes": Case(
        plain(TEXT.replace(b"word", "\U0001f600".encode() * 30_000) + TEXT), read=[1, 0, 1]
    ),
    "objects without end": Case(plain(b"{}\n" * (8 << 20) + TEXT), read=[0, 0, 100_000]),
    "a line of objects without end": Case(plain(b"[" + b"{}," * (8 << 20) + b"{}]\n" + TEXT), read=[0, 0, 2]),
    "nesting without end": Case(plain(b"[" * (3 << 20) + b"\n" + TEXT), read=[0, 0, 2]),
    "an integer without end": Case(plain(b'{"type":' + b"9" * (3 << 20) + b"}\n" + TEXT), read=[1, 0, 1]),
    "no UTF-8": Case(plain(b"\xff\xfe\n" + TEXT), read=[1, 0, 1]),
}
