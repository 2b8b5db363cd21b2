"""Archives that somebody made: each what must come of `harness import`, or which words it must be refused with."""

import gzip
import io
import json
import lzma
import os
import struct
import tarfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import attrs

from harness.store.archive import tar
from harness.store.canonical import dumps
from harness.store.digests import digest
from harness.store.foreign import headers
from harness.store.observed import bodies_digest
from tests.store.archive.conftest import Forged, tar_of

ANYWHERE = "blobs/sha256/" + "0" * 64


@attrs.frozen
class Case:
    """``make`` writes to a path, of what was forged; ``refused``: words of the refusal, else ``read`` comes of it."""

    make: Callable[[Forged, Path], Any]
    refused: str = ""
    read: Any = None


def outer(change: Callable[[tarfile.TarInfo], None], form: int = tarfile.USTAR_FORMAT) -> Callable[[Forged, Path], Any]:
    """The archive with one more member, empty, which ``change`` makes what it is."""

    def make(forged: Forged, path: Path) -> None:
        with tarfile.open(path, "w", format=form) as file:
            for name, data in forged.files().items():
                info = tarfile.TarInfo(name)
                info.size = len(data)
                file.addfile(info, io.BytesIO(data))
            info = tarfile.TarInfo(ANYWHERE)
            change(info)
            file.addfile(info)

    return make


def kind(flag: bytes) -> Callable[[Forged, Path], Any]:
    def change(info: tarfile.TarInfo) -> None:
        info.type, info.linkname, info.devmajor, info.devminor = flag, "/etc/passwd", 1, 5

    return outer(change)


def named(name: str) -> Callable[[Forged, Path], Any]:
    return outer(lambda info: setattr(info, "name", name), tarfile.PAX_FORMAT)


def raw(*blocks: bytes) -> Callable[[Forged, Path], Any]:
    """A tar of these bytes, with its end."""
    return lambda _, path: path.write_bytes(b"".join(blocks) + tar.END)


def sized(field: bytes) -> Callable[[Forged, Path], Any]:
    """A header whose size is these 12 bytes, with a right checksum."""
    block = bytearray(tar.header(ANYWHERE, 0))
    block[124:136] = field
    block[148:156] = b"%06o\0 " % headers.checksum(bytes(block))
    return raw(bytes(block))


def pax(*records: bytes) -> Callable[[Forged, Path], Any]:
    data = b"".join(records)
    return raw(tar._block(b"x", len(data), headers.PAX), data, tar.padding(len(data)), tar.header(ANYWHERE, 0))


def record(key: bytes, value: bytes) -> bytes:
    rest = b" " + key + b"=" + value + b"\n"
    size = len(rest) + 1
    while len(rest) + len(str(size)) != size:
        size += 1
    return str(size).encode() + rest


def layer(title: str, *blocks: bytes) -> Callable[[Forged, Path], Any]:
    """The archive with these bytes as one of its tars, and digests that are right."""

    def make(forged: Forged, path: Path) -> None:
        forged.layers[title] = b"".join(blocks) + tar.END
        forged.write(path)

    return make


def changed(name: str, data: bytes) -> Callable[[Forged, Path], Any]:
    """The archive with other bytes as one file of the layout."""
    return lambda forged, path: path.write_bytes(tar_of({**forged.files(), name: data}))


def cut(forged: Forged, path: Path) -> None:
    forged.write(path)
    os.truncate(path, path.stat().st_size * 2 // 3)


def twice(forged: Forged, path: Path) -> None:
    path.write_bytes(forged.write(path).read_bytes() * 2)


def another_client(forged: Forged, path: Path) -> None:
    """With folders, times and owners, in another order, padded."""
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as file:
        for name in ("./", "./blobs/", "./blobs/sha256/"):
            info = tarfile.TarInfo(name)
            info.type = tarfile.DIRTYPE
            file.addfile(info)
        for name, data in sorted(forged.files().items(), reverse=True):
            info = tarfile.TarInfo(f"./{name}")
            info.size, info.mtime, info.uid, info.uname, info.mode = len(data), 1.5, 1000, "user", 0o4755
            file.addfile(info, io.BytesIO(data))


def bomb(forged: Forged, path: Path) -> None:
    """A GiB of zeros in a MB."""
    with gzip.open(path, "wb", compresslevel=1) as file:
        for _ in range(1024):
            file.write(bytes(1 << 20))


def sparse(size: int) -> Callable[[Forged, Path], Any]:
    """A tar file that has almost no bytes on the disk, of one blob."""

    def make(_: Forged, path: Path) -> None:
        path.write_bytes(tar.header(ANYWHERE, size))
        os.truncate(path, size + 4096)

    return make


def line_of(segments: Sequence[int]) -> bytes:
    """The line of a pack that has no calls, and one artifact of segments with so many bytes each."""
    listed = [{"bytes": size} for size in segments]
    values = {"ids": [], "fields": []}
    return dumps({"format": 2, "calls": [], "artifacts": [["events", listed]], "values": values}) + b"\n"


def packed(data: bytes, *segments: int) -> Callable[[Forged, Path], Any]:
    """The archive of a run in which an attempt's pack is this xz stream, after a line that lists so many bytes each."""

    def make(forged: Forged, path: Path) -> None:
        repack(forged, path, lzma.compress(line_of(segments) + data, preset=0))

    return make


def zeros(size: int, *segments: int) -> Callable[[Forged, Path], Any]:
    def make(forged: Forged, path: Path) -> None:
        packer = lzma.LZMACompressor(preset=0)
        parts = [packer.compress(line_of(segments))]
        parts += [packer.compress(bytes(1 << 20)) for _ in range(size >> 20)]
        repack(forged, path, b"".join([*parts, packer.flush()]))

    return make


def repack(forged: Forged, path: Path, data: bytes) -> None:
    """Give the one masked attempt's record another pack: it has no place in done/ that would name its digest."""
    records = members(forged.layers["records.tar"])
    name = next(name for name in records if name.startswith("attempts/2/"))
    value = json.loads(records.pop(name))
    value["content"]["calls"], value["content"]["chain"] = [], []
    value["observed"]["calls"], value["observed"]["artifacts"] = [], {"events": digest(b"")}
    value["observed"]["pack"] = {
        **value["observed"]["pack"],
        "blob": digest(data),
        "names": [],
        "bodies": bodies_digest(()),
    }
    written = dumps(value)
    records[f"{name.rpartition('-')[0]}-{digest(written)}.json"] = written
    blobs = {**members(forged.layers["blobs.tar"]), f"blobs/sha256/{digest(data)}": data}
    forged.layers |= {"records.tar": tar_by_us(records), "blobs.tar": tar_by_us(blobs)}
    forged.write(path)


def members(data: bytes) -> dict[str, bytes]:
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as file:
        return {member.name: file.extractfile(member).read() for member in file.getmembers()}  # type: ignore[union-attr]


def tar_by_us(files: dict[str, bytes]) -> bytes:
    parts = [tar.header(name, len(data)) + data + tar.padding(len(data)) for name, data in sorted(files.items())]
    return b"".join([*parts, tar.END])


def many(count: int) -> bytes:
    return b"".join(tar.header(f"done/1/{number:07}", 0) for number in range(count))


VALUES = b"[" + b"{}," * 7_000_000 + b"{}]"

CASES: dict[str, Case] = {
    "as it was written": Case(lambda forged, path: forged.write(path), read=2),
    "as another client writes it": Case(another_client, read=2),
    "an absolute path": Case(named("/etc/cron.d/x"), "which leads out of it"),
    "a path upwards": Case(named("blobs/../../x"), "which leads out of it"),
    "a name with a NUL": Case(pax(record(b"path", b"index.json\0x")), "which leads out of it"),
    "a name that moves the cursor": Case(named("\x1b[2J\u202e"), r"\\x1b\[2J\\u202e"),
    "a name that is no UTF-8": Case(pax(record(b"path", b"\xff")), "is no UTF-8"),
    "a name of 300 bytes": Case(named("n" * 300), "a name is too long"),
    "a path of 10,000 bytes": Case(named("/".join("n" * 5000).strip("/")), "a name is too long"),
    "a path of 1,000 folders": Case(named("n/" * 1000 + "n"), "nested more than"),
    "a name in another case": Case(named("INDEX.JSON"), "which no OCI image layout has"),
    "a symbolic link": Case(kind(tarfile.SYMTYPE), "which is a symbolic link"),
    "a hard link": Case(kind(tarfile.LNKTYPE), "which is a hard link"),
    "a character device": Case(kind(tarfile.CHRTYPE), "which is a character device"),
    "a block device": Case(kind(tarfile.BLKTYPE), "which is a block device"),
    "a FIFO": Case(kind(tarfile.FIFOTYPE), "which is a FIFO"),
    "a sparse file of GNU's": Case(kind(tarfile.GNUTYPE_SPARSE), "which is a sparse file"),
    "a sparse file of pax's": Case(pax(record(b"GNU.sparse.major", b"1")), "has the key 'GNU.sparse.major'"),
    "a long name of GNU's": Case(kind(tarfile.GNUTYPE_LONGNAME), "of type b'L'"),
    "a global pax header": Case(kind(tarfile.XGLTYPE), "of type b'g'"),
    "a pax header of 64 MiB": Case(raw(tar._block(b"x", 64 << 20, headers.PAX)), "a pax header of 67108864 bytes"),
    "a pax header after a pax header": Case(
        raw(*2 * [tar._block(b"x", 9, headers.PAX) + b"9 path=a\n" + bytes(503)], tar.header("a", 0)), "of type b'x'"
    ),
    "a pax size below zero": Case(pax(record(b"size", b"-1")), "a size of '-1'"),
    "a pax size without end": Case(pax(record(b"size", b"9" * 5000)), "a size of '9999"),
    "a size in base 256": Case(
        sized(b"\x80" + struct.pack(">11x")[:3] + struct.pack(">Q", 1 << 50)), "none of POSIX's"
    ),
    "a size in base 256 below zero": Case(sized(b"\xff" * 12), "none of POSIX's"),
    "a size beyond the file": Case(raw(tar.header(ANYWHERE, 1 << 30)), "is cut short"),
    "a size of 2 TiB": Case(sparse(2 << 40), "a file has 2,199,023,255,552 bytes"),
    "a name twice": Case(
        lambda forged, path: path.write_bytes(tar.header("index.json", 0) + forged.write(path).read_bytes()),
        "holds 'index.json' twice",
    ),
    "members without end": Case(
        raw(*(tar.header(f"blobs/sha256/{n:064x}", 0) for n in range(5000))), "there are more than 2,016 files"
    ),
    "cut short": Case(cut, "is cut short|is damaged at byte"),
    "two in a row": Case(twice, "zeros were to stand there|bytes follow its end"),
    "no tar at all": Case(lambda _, path: path.write_bytes(os.urandom(100_000)), "no archive: it does"),
    "a GiB of zeros, compressed": Case(bomb, "is compressed by gzip"),
    "a GiB of zeros": Case(lambda _, path: (path.touch(), os.truncate(path, 1 << 30)), "no archive: it does"),
    "values without end in the index": Case(changed("index.json", b"[" + b"[]," * 1_300_000 + b"[]]"), "more values"),
    "nesting without end in the index": Case(changed("index.json", b"[" * 1_000_000), "is no JSON"),
    "values without end in the manifest of the run": Case(
        layer("records.tar", tar.header("manifest.json", len(VALUES)), VALUES, tar.padding(len(VALUES))), "more values"
    ),
    "a record of 65 MiB": Case(
        layer("records.tar", tar.header("manifest.json", 65 << 20), bytes(65 << 20)), "at most 67,108,864 are read"
    ),
    "a name in a layer that leads out": Case(layer("records.tar", tar.header("done/../../../x", 0)), "leads out of it"),
    "a name in a layer that no run has": Case(layer("records.tar", tar.header(".git/hooks/x", 0)), "no run folder has"),
    "a name twice in a layer": Case(layer("records.tar", 2 * tar.header("done/1/0", 0)), "holds 'done/1/0' twice"),
    "a setuid file in a layer": Case(
        layer("records.tar", tar._block(b"done/1/0", 0, b"0", b"0004755\0")), "not as the"
    ),
    "a pack that says 2 GiB": Case(zeros(1 << 20, 2 << 30), "more than 369098752 bytes"),
    "a pack of 300 MiB of zeros in one file": Case(zeros(300 << 20, 300 << 20), "holds a body of 314572800 bytes"),
    "a pack of 340 MiB of zeros in pieces": Case(zeros(340 << 20, *[20 << 20] * 17), "holds a body of 356515840 bytes"),
    "a pack with more than it lists": Case(zeros(512 << 20, 1), "is longer than it says"),
    "a pack of 8 MiB of noise": Case(
        lambda forged, path: packed(os.urandom(8 << 20), 8 << 20)(forged, path),
        "the artifact 'events' is not what it",
    ),
}
