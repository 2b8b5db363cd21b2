"""The seed: the first executable that derivations run, as a folder, cut out of the pinned busybox-static package.

A bare file would not do: busybox looks at the name it is started by.
"""

import io
import struct
import tarfile
from collections.abc import Iterator
from pathlib import Path

from fetching.problems import WrongBytesError

PROGRAM = "bin/busybox"
_AR_MAGIC = b"!<arch>\n"
_AR_HEADER = 60


def _members(archive: bytes) -> Iterator[tuple[str, bytes]]:
    """Names and contents in an ar archive, which a .deb is."""
    at = len(_AR_MAGIC)
    while at < len(archive):
        header = archive[at : at + _AR_HEADER]
        size = int(header[48:58])
        yield header[:16].decode().rstrip(" /"), archive[at + _AR_HEADER : at + _AR_HEADER + size]
        at += _AR_HEADER + size + size % 2


def program(deb: Path) -> bytes:
    """The busybox executable out of the package.

    Raises:
        WrongBytesError: the package holds none.
    """
    for name, content in _members(deb.read_bytes()):
        if name.startswith("data.tar"):
            with tarfile.open(fileobj=io.BytesIO(content)) as tree:
                file = tree.extractfile(f"./{PROGRAM}")
                if file is not None:
                    return file.read()
    raise WrongBytesError(f"{deb} holds no {PROGRAM}.")


def write(executable: bytes, folder: Path) -> None:
    """Make the seed's folder."""
    target = folder / PROGRAM
    target.parent.mkdir(parents=True)
    target.write_bytes(executable)
    target.chmod(0o555)


def nar(executable: bytes) -> bytes:
    """The folder as Nix serialises it; the seed's hash is over this."""
    folder, _, name = PROGRAM.partition("/")
    file = (b"(", b"type", b"regular", b"executable", b"", b"contents", executable, b")")
    inner = _folder(name, file)
    return b"".join(_word(word) for word in (b"nix-archive-1", *_folder(folder, inner)))


def _folder(name: str, content: tuple[bytes, ...]) -> tuple[bytes, ...]:
    entry = (b"entry", b"(", b"name", name.encode(), b"node", *content, b")")
    return (b"(", b"type", b"directory", *entry, b")")


def _word(word: bytes) -> bytes:
    return struct.pack("<Q", len(word)) + word + b"\0" * (-len(word) % 8)
