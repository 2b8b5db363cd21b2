"""``harness bundle``: one file, which appears whole or not at all."""

import filecmp
from collections.abc import Callable
from pathlib import Path
from typing import Final

import attrs

from harness.errors import UsageError
from harness.store import atomic
from harness.store.archive import unfinished
from harness.store.bundle.contents import Contents
from harness.store.bundle.writing import Say, write
from harness.store.digests import Digest, file_digest
from harness.store.space import check_space

# No closure was ever compressed to less than a quarter; what is needed beyond that, the disk itself says.
_LEAST: Final = 4


@attrs.frozen
class Bundled:
    """A bundle: its SHA-256 and size in bytes; ``new`` is False where the very same one was there before."""

    sha256: Digest
    size: int
    new: bool


def bundle(contents: Contents, target: Path, say: Say) -> Bundled:
    """Write a bundle to ``target``; raises StoreCorruptError for a damaged store or data set, and as `whole` does."""

    def make(path: Path) -> None:
        with path.open("xb") as file:
            write(contents, file, say)

    return whole(target, contents.size, make)


def whole(target: Path, contents: int, make: Callable[[Path], None]) -> Bundled:
    """Have ``make`` write a file, and give it its name.

    Args:
        contents: bytes of what goes into it, before it is compressed.

    Raises UsageError where something else is there, as ``make`` does, and as `harness.store.atomic` does.
    """
    if target.is_dir():
        raise UsageError(f"{target} is a folder. Name the file that the bundle is to be.")
    atomic.make_folder(target.parent)
    check_space(target.parent, contents // _LEAST)
    with atomic.explained(target), unfinished.beside(target, "bundle") as made:
        make(made)
        done = Bundled(file_digest(made), made.stat().st_size, new=True)
        if unfinished.put(made, target):
            return done
        if not target.is_file() or not filecmp.cmp(made, target, shallow=False):
            raise UsageError(f"{target} is there already and holds something else. Name another, or delete it.")
        return attrs.evolve(done, new=False)
