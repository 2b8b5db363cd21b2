"""Reading Debian packages: an ``ar`` file that holds two tar files."""

import io
import lzma
import tarfile
from collections.abc import Iterator
from pathlib import Path

AR_MAGIC = b"!<arch>\n"
AR_HEADER = 60


def members(deb: Path) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of each member of the outer ``ar`` file."""
    raw = deb.read_bytes()
    if not raw.startswith(AR_MAGIC):
        raise ValueError(f"{deb} is no Debian package: it doesn't start with {AR_MAGIC!r}")
    at = len(AR_MAGIC)
    while at < len(raw):
        header = raw[at : at + AR_HEADER]
        name, size = header[:16].decode().strip().rstrip("/"), int(header[48:58])
        at += AR_HEADER
        yield name, raw[at : at + size]
        at += size + size % 2  # members begin at even offsets


def open_member(deb: Path, stem: str) -> tarfile.TarFile:
    """The tar file ``stem`` (``control.tar`` or ``data.tar``); bookworm compresses both with xz."""
    for name, raw in members(deb):
        if name == f"{stem}.xz":
            return tarfile.open(fileobj=io.BytesIO(lzma.decompress(raw)))
    raise ValueError(f"{deb} has no {stem}.xz")


def control(deb: Path) -> str:
    """The package's control paragraph."""
    with open_member(deb, "control.tar") as tar:
        file = tar.extractfile("./control")
        if file is None:
            raise ValueError(f"{deb} has no control file")
        return file.read().decode()


def data(deb: Path) -> Iterator[tuple[str, tarfile.TarInfo, bytes]]:
    """Path (without a leading ``./``), header and bytes of everything that the package installs."""
    with open_member(deb, "data.tar") as tar:
        for info in tar:
            path = info.name.removeprefix("./").strip("/")
            file = tar.extractfile(info) if info.isreg() else None
            if path not in ("", "."):
                yield path, info, file.read() if file else b""
