"""What killed writers leave in a run folder: finding it, and taking it away while others may write.

These can go, each only when it is older than a floor: temporary files, blobs that no file of the run mentions,
unfinished archives and imports beside the run, and (where asked) the scores of scorers that no longer count. What was
asked and answered never goes.

A blob without a name may be just about to get one. So whoever keeps bytes that are there already makes their file new
again (`Blobs.put`), and a blob is first set aside, then looked at once more: one that was made new or is mentioned by
now comes back. A writer that comes later finds nothing under the name and writes it again. Between a blob and the
record that names it there are seconds; the floor is hours, so that clocks may differ.
"""

import contextlib
import os
import re
import stat
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Final

import attrs

from harness.errors import StoreCorruptError
from harness.store import aside, plainly, reading
from harness.store.archive.unfinished import is_leftover
from harness.store.digests import Digest
from harness.store.foreign import plain, trees
from harness.store.foreign.limits import Limits
from harness.store.foreign.removing import remove as remove_tree
from harness.store.outdating import outdate
from harness.store.runfolder import RunFolder

TEMPORARY: Final = "temporary file"
UNNAMED: Final = "blob that nothing names"
OLD_SCORES: Final = "scores of another scorer"
UNFINISHED: Final = "unfinished archive or import"

# Of what is not read, only looked at: somebody's source tree, or an import that was not finished.
_LIMITS: Final = Limits(file=1 << 50, total=1 << 60, entries=10_000_000, depth=200)

_TEMPORARY = re.compile(r"\.[0-9a-f]{16}")
_MENTION = re.compile(rb"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")


@attrs.frozen(order=True)
class Leftover:
    """Something that can go; ``size`` in bytes, of a folder with all that is in it."""

    path: Path
    kind: str
    size: int


def newest(run: RunFolder) -> float:
    """When a file of the run was last written (seconds since 1970)."""
    return max((_time(path) for path in plainly.files(run.layout.root)), default=0.0)


def find(run: RunFolder, before: float, *, counts: Digest | None = None) -> list[Leftover]:
    """All that can go and was last written before a time (seconds since 1970), sorted.

    ``counts``: the scorer whose scores stay; without it those of every scorer do. Raises StoreCorruptError for a file
    that can't be read, since it may mention any blob, and for what is neither file nor folder.
    """
    everything = list(plainly.files(run.layout.root))
    temporary = {path for path in everything if _unfinished(run, path) and _old(path, before)}
    named = mentioned(run, without=temporary)
    blobs = [path for path in everything if path.parent == run.blobs.folder and aside.BLOB.fullmatch(path.name)]
    blobs = [path for path in blobs if _name(path) not in named and _old(path, before)]
    found = [Leftover(path, TEMPORARY, size(path)) for path in temporary]
    found += [Leftover(path, UNNAMED, size(path)) for path in blobs]
    found += [
        Leftover(path, UNFINISHED, size(path)) for path in beside(run) if _plain(path) and not _in_use(path, before)
    ]
    if counts is not None:
        others = [path for path in reading.entries(run.layout.scores) if path.name != counts]
        found += [Leftover(path, OLD_SCORES, size(path)) for path in others if not _in_use(path, before)]
    return sorted(found)


def remove(run: RunFolder, leftovers: Iterable[Leftover], before: float) -> list[Leftover]:
    """Take away what `find` found, but for what is in use by now; what went. Can be done again after a kill.

    Raises OSError, and StoreCorruptError as `find` does: then every blob has its name.
    """
    root, gone, blobs = run.layout.root, [], []
    for one in leftovers:
        if one.kind == UNNAMED:
            blobs.append(one)
        elif one.kind == TEMPORARY and _old(one.path, before):
            _remove(root, one.path)
            gone.append(one)
        elif one.kind in {OLD_SCORES, UNFINISHED} and _plain(one.path) and not _in_use(one.path, before):
            if one.kind == OLD_SCORES:
                outdate(run.layout)
            _remove(root if one.kind == OLD_SCORES else one.path.parent, one.path)
            gone.append(one)
    if not blobs and not run.blobs.folder.is_dir():
        return gone
    with _opened(root, run.blobs.folder) as folder:
        names = aside.remove([one.path.name for one in blobs], folder, before, lambda: mentioned(run))
    return gone + [one for one in blobs if _name(one.path) in names]


def mentioned(run: RunFolder, without: Collection[Path] = ()) -> set[str]:
    """Every digest that stands in a file of the run or in its path, blobs left aside.

    No file is parsed: one of a later version, or a damaged one, keeps its blobs as well. A report and a table are not
    even read: they may be of any size, and name nothing that the run doesn't.
    """
    without = {*without, *(run.layout.root / name for name in ("report.html", "rollouts.parquet"))}
    found = set[bytes]()
    for path in plainly.files(run.layout.root):
        if run.blobs.folder not in path.parents and path not in without:
            found.update(_MENTION.findall(os.fsencode(path.relative_to(run.layout.root))))
            found.update(_MENTION.findall(_read(path)))
    # A folder of scores names its scorer also where no score of it was finished.
    return {name.decode() for name in found}.union(reading.names(run.layout.scores))


def size(path: Path) -> int:
    """The bytes of a file, or of all files below a folder, as far as they may be seen."""
    total = 0
    with contextlib.suppress(OSError, StoreCorruptError):
        if not stat.S_ISDIR(path.lstat().st_mode):
            return path.lstat().st_size
        for entry in trees.entries(path, _LIMITS):
            total += 0 if entry.folder else entry.status.st_size
    return total


def beside(run: RunFolder) -> list[Path]:
    """What stands beside the run under the name of an unfinished archive or import; it may be anything."""
    above = run.layout.root.absolute().parent
    with reading.corrupt(above):
        return sorted(path for path in above.iterdir() if is_leftover(path.name))


def strange(run: RunFolder) -> list[Path]:
    """What of it is neither file nor folder, a link say: nobody here made it, so it stays."""
    return [path for path in beside(run) if not _plain(path)]


def _unfinished(run: RunFolder, path: Path) -> bool:
    """Whether a file in the run never got its name: the store's, or a report or a table at the top."""
    beside_report = path.parent == run.layout.root and is_leftover(path.name)
    return beside_report or _TEMPORARY.fullmatch(path.name) is not None


def _remove(root: Path, path: Path) -> None:
    """Remove a file, or a folder with all that is in it, below ``root``, through no link."""
    with contextlib.suppress(FileNotFoundError), _opened(root, path.parent) as folder:
        remove_tree(path.name, folder)


def _opened(root: Path, folder: Path) -> contextlib.AbstractContextManager[int]:
    """A handle of a folder in ``root``, or of ``root``, that no link below ``root`` led to; raises OSError."""
    return plain.folder_below(root, folder.relative_to(root).parts)


def _plain(path: Path) -> bool:
    """Whether a file or a folder is there."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return False
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)


def _read(path: Path) -> bytes:
    try:
        return plain.read(path, reading.BLOB_MAX)
    except FileNotFoundError:  # a writer's temporary file, which has its name by now
        return b""
    except OSError as error:
        raise StoreCorruptError(f"{path} can't be read: {error.strerror}. It may name any blob.") from error


def _name(path: Path) -> str:
    return path.name.removeprefix(".")


def _old(path: Path, before: float) -> bool:
    try:
        return path.lstat().st_mtime < before
    except FileNotFoundError:
        return False


def _time(path: Path) -> float:
    try:
        return path.lstat().st_mtime
    except FileNotFoundError:
        return 0.0


def _in_use(path: Path, before: float) -> bool:
    """Whether a file, or anything below a folder, is younger; or has gone, for somebody took it."""
    try:
        status = path.lstat()
        if status.st_mtime >= before or not stat.S_ISDIR(status.st_mode):
            return status.st_mtime >= before
        return any(entry.status.st_mtime >= before for entry in trees.entries(path, _LIMITS))
    except (FileNotFoundError, StoreCorruptError):  # what is nested without end nobody here made: it stays
        return True
