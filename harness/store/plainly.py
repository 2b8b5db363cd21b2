"""Going through a run folder as what it has to be: plain files and folders, no links, every record readable.

Whoever deletes goes by this: behind a link there are another's files, and what can't be read may name any blob.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from harness.errors import CanonicalError, StoreCorruptError
from harness.store import reading
from harness.store.digests import digest
from harness.store.grades import read_object
from harness.store.references import named_after
from harness.store.runfolder import RunFolder


def files(folder: Path) -> Iterator[Path]:
    """Every file below a folder, those with a dot too; raises StoreCorruptError for what is neither file nor folder."""
    below = []
    with reading.corrupt(folder), os.scandir(folder) as found:
        for entry in found:
            if entry.is_dir(follow_symlinks=False):
                below.append(Path(entry.path))
            elif entry.is_file(follow_symlinks=False):
                yield Path(entry.path)
            else:
                what = "a symbolic link" if entry.is_symlink() else "neither file nor folder"
                raise StoreCorruptError(
                    f"{entry.path} is {what}: a run folder has plain files and folders only. "
                    "Put there what it stands for, or remove it, and check the run with `verify`."
                )
    for path in below:
        yield from files(path)


def check(run: RunFolder) -> None:
    """Raise StoreCorruptError where a run has something else than files and folders, or a record is gone or damaged."""
    root = run.layout.root
    paths = [path.relative_to(root) for path in files(root)]
    for path in paths:
        if path.suffix == ".json" and not any(part.startswith(".") for part in path.parts):
            _check_record(root, path)
    for done in run.dones():
        run.published(done)


def _check_record(root: Path, path: Path) -> None:
    match path.parts:
        case ["attempts", *_]:
            with reading.corrupt(root / path):
                data = (root / path).read_bytes()
                if not named_after(path.stem, digest(data)):
                    raise CanonicalError("It is named after other bytes.")
        case ["judge" | "scores" | "observed", *_] | ["summary.json"]:
            read_object(root / path)


@contextlib.contextmanager
def opened(root: Path, folder: Path) -> Iterator[int]:
    """A handle of a folder in ``root``, or of ``root``, that no link below ``root`` led to; raises OSError."""
    handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for name in folder.relative_to(root).parts:
            above = handle
            handle = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=above)
            os.close(above)
        yield handle
    finally:
        os.close(handle)
