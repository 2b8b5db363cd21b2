"""A bundle of store paths that exist nowhere, with a data set of one image."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.pins.storepaths import StorePath
from harness.store.bundle.contents import Contents, DataFile

Nars = dict[str, bytes]


def store_path(letter: str, name: str, nar: bytes, *references: str) -> StorePath:
    """One with the letter as its hash part."""
    sha256 = hashlib.sha256(nar).hexdigest()
    return StorePath(f"/nix/store/{letter * 32}-{name}", sha256, len(nar), tuple(sorted(references)))


@pytest.fixture
def nars() -> Nars:
    """The contents of the store, by path."""
    return {
        f"/nix/store/{'a' * 32}-python": b"the interpreter" * 100,
        f"/nix/store/{'b' * 32}-hermetic-harness": b"the harness" * 10,
        f"/nix/store/{'c' * 32}-source": b"",
    }


@pytest.fixture
def contents(nars: Nars, tmp_path: Path) -> Contents:
    python, harness, source = nars
    paths = [
        store_path("a", "python", nars[python]),
        store_path("b", "hermetic-harness", nars[harness], python, harness),
        store_path("c", "source", nars[source]),
    ]
    data = []
    for name, text in (("blobs/sha256/" + "0" * 64, "an image"), ("zip.json", "{}")):
        file = tmp_path / "installed" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        data.append(DataFile(f"set/{name}", file, len(text)))
    return Contents(harness=harness, source=source, pins=None, paths=tuple(paths), data=tuple(data))


@pytest.fixture
def dump(nars: Nars) -> object:
    def pieces(path: Path) -> Iterator[bytes]:
        data = nars[str(path)]
        yield data[:7]
        yield data[7:]

    return pieces
