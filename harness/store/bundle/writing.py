"""Writing a bundle into one tar file, store path by store path."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Final

import attrs

from harness.errors import HarnessError, StoreCorruptError
from harness.pins import nar
from harness.pins.storepaths import StorePath
from harness.store import reading
from harness.store.archive import tar
from harness.store.bundle import contents as facts
from harness.store.bundle.compressing import compressed
from harness.store.bundle.contents import Contents, DataFile, Packed
from harness.store.bundle.installer import installer
from harness.store.digests import Digest
from harness.store.foreign.plain import open_plain

_PIECE: Final = 1 << 20
_FOLDERS: Final = ("", "/cache", "/cache/nar", "/cache/realisations")

Say = Callable[[str], None]
#: The pieces of a store path's NAR.
Dump = Callable[[Path], Iterator[bytes]]


@attrs.frozen
class _Sum:
    name: str
    sha256: Digest
    size: int


def write(contents: Contents, file: BinaryIO, say: Say, dump: Dump = nar.pieces) -> None:
    """Write a bundle to an empty file that can be sought in; ``say`` is told each store path as it is begun.

    Raises StoreCorruptError where a store path or a data file isn't what is known of it, OSError.
    """
    file.write(b"".join(tar.folder(f"{facts.TOP}{name}") for name in _FOLDERS))
    sums = [_put(file, "install", [installer(contents)]), _put(file, "cache/nix-cache-info", [facts.CACHE_INFO])]
    packed = []
    for path in contents.paths:
        say(f"packing {path.path} ({path.nar_size / 2**20:,.0f} MiB)")
        nar_sum = _put(file, f"cache/{facts.nar_name(path)}", compressed(_checked(path, dump)))
        packed.append(Packed(path, nar_sum.sha256, nar_sum.size))
        sums += [nar_sum, _put(file, f"cache/{path.hash_part}.narinfo", [facts.narinfo(packed[-1])])]
    sums += [_put(file, f"data/{each.name}", _data(each)) for each in contents.data]
    sums.append(_put(file, "bundle.json", [facts.described(contents, packed)]))
    lines = (f"{each.sha256}  {each.name}\n" for each in sorted(sums, key=lambda each: each.name))
    _put(file, "SHA256SUMS", ["".join(lines).encode()])
    file.write(tar.END)


def _put(file: BinaryIO, name: str, pieces: Iterable[bytes]) -> _Sum:
    """Add a file whose size is known at its end only: its header is written again."""
    start, sha256, size = file.tell(), hashlib.sha256(), 0
    before = tar.header(f"{facts.TOP}/{name}", 0)
    file.write(before)
    for piece in pieces:
        sha256.update(piece)
        size += len(piece)
        file.write(piece)
    file.write(tar.padding(size))
    end, header = file.tell(), tar.header(f"{facts.TOP}/{name}", size)
    if len(header) != len(before):
        raise HarnessError(f"{name} would have {size:,} bytes, more than a file of a bundle can have.")
    file.seek(start)
    file.write(header)
    file.seek(end)
    return _Sum(name, Digest(sha256.hexdigest()), size)


def _checked(path: StorePath, dump: Dump) -> Iterator[bytes]:
    """The NAR, held against what Nix knows of it."""
    sha256 = hashlib.sha256()
    with reading.corrupt(Path(path.path)):
        for piece in dump(Path(path.path)):
            sha256.update(piece)
            yield piece
    if sha256.hexdigest() != path.nar_sha256:
        raise StoreCorruptError(
            f"{path.path} was changed after it was built. Have Nix look for more and build it again: "
            "nix-store --verify --check-contents --repair"
        )


def _data(each: DataFile) -> Iterator[bytes]:
    """A data file's bytes, exactly as many as it had."""
    left = each.size
    with reading.corrupt(each.path), open(open_plain(each.path)[0], "rb") as file:  # noqa: PTH123 - a handle
        while left and (piece := file.read(min(_PIECE, left))):
            left -= len(piece)
            yield piece
        if left or file.read(1):
            raise StoreCorruptError(f"{each.path} was changed while it was read.")
