"""What goes into a bundle, and what each file of its cache says."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import attrs

from harness import __version__
from harness.errors import HarnessError
from harness.pins.storepaths import STORE, StorePath
from harness.store.canonical import dumps
from harness.store.digests import Digest

FORMAT: Final = 1
TOP: Final = "hermetic-harness"
CACHE_INFO: Final = f"StoreDir: {STORE}\n".encode()


@attrs.frozen
class DataFile:
    """A file of an installed data set; ``name`` is its path below ``data/``, size in bytes."""

    name: str
    path: Path
    size: int


@attrs.frozen(kw_only=True)
class Contents:
    """``paths`` are the harness, the flake's source, the pins where they are wanted, and all that these refer to.

    ``data`` is in the order in which it is installed.
    """

    harness: str
    source: str
    pins: str | None
    paths: tuple[StorePath, ...]
    data: tuple[DataFile, ...] = ()

    def __attrs_post_init__(self) -> None:
        known = {each.path for each in self.paths}
        wanted = {self.harness, self.source, *([self.pins] if self.pins else [])}
        lacking = sorted((wanted | {one for each in self.paths for one in each.references}) - known)
        if lacking:
            raise HarnessError(f"The bundle would lack {lacking[0]}. Please report this.")

    @property
    def size(self) -> int:
        """Bytes of all that would be installed."""
        return sum(each.nar_size for each in self.paths) + sum(each.size for each in self.data)


@attrs.frozen
class Packed:
    """A store path, and digest and size of its compressed NAR."""

    path: StorePath
    sha256: Digest
    size: int


def nar_name(path: StorePath) -> str:
    """Where the compressed NAR stands in the cache."""
    return f"nar/{path.hash_part}.nar.zst"


def narinfo(packed: Packed) -> bytes:
    """What Nix reads of a store path before the NAR; an installer reads these very lines."""
    path = packed.path
    lines = [
        f"StorePath: {path.path}",
        f"URL: {nar_name(path)}",
        "Compression: zstd",
        f"FileHash: sha256:{packed.sha256}",
        f"FileSize: {packed.size}",
        f"NarHash: sha256:{path.nar_sha256}",
        f"NarSize: {path.nar_size}",
        f"References: {' '.join(Path(each).name for each in path.references)}",
    ]
    return "".join(f"{line}\n" for line in lines).encode()


def described(contents: Contents, packed: Sequence[Packed]) -> bytes:
    """bundle.json."""
    return dumps(
        {
            "format": FORMAT,
            "version": __version__,
            "harness": contents.harness,
            "source": contents.source,
            "pins": contents.pins,
            "data": sorted({each.name.partition("/")[0] for each in contents.data}),
            "paths": [
                {
                    "path": each.path.path,
                    "nar_sha256": each.path.nar_sha256,
                    "nar_size": each.path.nar_size,
                    "references": each.path.references,
                    "file": f"cache/{nar_name(each.path)}",
                    "file_sha256": each.sha256,
                    "file_size": each.size,
                }
                for each in packed
            ],
        }
    )
