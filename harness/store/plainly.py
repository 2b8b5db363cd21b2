"""Going through a run folder as what it has to be: plain files and folders, no links, every record readable.

Whoever deletes goes by this: behind a link there are another's files, and what can't be read may name any blob.
"""

from collections.abc import Iterator
from pathlib import Path

from harness.errors import CanonicalError
from harness.store import reading
from harness.store.digests import digest
from harness.store.foreign import trees
from harness.store.grades import read_object
from harness.store.references import named_after
from harness.store.runfolder import RunFolder


def files(folder: Path) -> Iterator[Path]:
    """Every file below a folder, those with a dot too; raises StoreCorruptError for what is neither file nor folder."""
    with reading.corrupt(folder):
        for entry in trees.plain_files(folder, reading.LIMITS):
            yield folder / entry.path


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
                if not named_after(path.stem, digest(reading.read(root / path))):
                    raise CanonicalError("It is named after other bytes.")
        case ["judge" | "scores" | "observed", *_] | ["summary.json"]:
            read_object(root / path)
