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
import shutil
import stat
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Final

import attrs

from harness.store import atomic, reading
from harness.store.archive.unfinished import is_leftover
from harness.store.digests import Digest
from harness.store.runfolder import RunFolder

TEMPORARY: Final = "temporary file"
UNNAMED: Final = "blob that nothing names"
OLD_SCORES: Final = "scores of another scorer"
UNFINISHED: Final = "unfinished archive or import"

_TEMPORARY = re.compile(r"\.[0-9a-f]{16}")
_BLOB = re.compile(r"\.?[0-9a-f]{64}")  # with a dot it was set aside by a collector that was killed
_MENTION = re.compile(rb"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")


@attrs.frozen(order=True)
class Leftover:
    """Something that can go; ``size`` in bytes, of a folder with all that is in it."""

    path: Path
    kind: str
    size: int


def newest(run: RunFolder) -> float:
    """When a file of the run was last written (seconds since 1970)."""
    return max(path.lstat().st_mtime for path in _files(run.layout.root))


def find(run: RunFolder, before: float, *, counts: Digest | None = None) -> list[Leftover]:
    """All that can go and was last written before a time (seconds since 1970), sorted.

    ``counts``: the scorer whose scores stay; without it those of every scorer do. Raises OSError for a file that can't
    be read, since it may mention any blob.
    """
    temporary = {path for path in _files(run.layout.root) if _TEMPORARY.fullmatch(path.name) and _old(path, before)}
    named = mentioned(run, without=temporary)
    blobs = [path for path in _blobs(run) if _name(path) not in named and _old(path, before)]
    found = [Leftover(path, TEMPORARY, size(path)) for path in temporary]
    found += [Leftover(path, UNNAMED, size(path)) for path in blobs]
    found += [Leftover(path, UNFINISHED, size(path)) for path in _unfinished(run) if not _in_use(path, before)]
    if counts is not None:
        others = [path for path in reading.entries(run.layout.scores) if path.name != counts]
        found += [Leftover(path, OLD_SCORES, size(path)) for path in others if not _in_use(path, before)]
    return sorted(found)


def remove(run: RunFolder, leftovers: Iterable[Leftover], before: float) -> list[Leftover]:
    """Take away what `find` found, but for what is in use by now; what went. Can be done again after a kill.

    Raises OSError.
    """
    gone = []
    blobs = []
    for one in leftovers:
        if one.kind == UNNAMED:
            blobs.append(one)
        elif one.kind == TEMPORARY and _old(one.path, before):
            one.path.unlink(missing_ok=True)
            gone.append(one)
        elif one.kind in {OLD_SCORES, UNFINISHED} and one.path.exists() and not _in_use(one.path, before):
            _remove_all(one.path)
            gone.append(one)
    return gone + _remove_blobs(run, blobs, before)


def mentioned(run: RunFolder, without: Collection[Path] = ()) -> set[str]:
    """Every digest that stands in a file of the run or in its path, blobs left aside.

    No file is parsed: one of a later version, or a damaged one, keeps its blobs as well.
    """
    found = set[bytes]()
    for path in _files(run.layout.root):
        if run.blobs.folder not in path.parents and path not in without:
            found.update(_MENTION.findall(os.fsencode(path.relative_to(run.layout.root))))
            with contextlib.suppress(FileNotFoundError):  # a writer's temporary file, which has its name by now
                found.update(_MENTION.findall(path.read_bytes()))
    return {name.decode() for name in found}


def size(path: Path) -> int:
    """The bytes of a file, or of all files below a folder, as far as they may be seen."""
    files = [Path(folder, name) for folder, _, names in os.walk(path) for name in names] if path.is_dir() else [path]
    total = 0
    for file in files:
        with contextlib.suppress(OSError):
            total += file.lstat().st_size
    return total


def _remove_blobs(run: RunFolder, blobs: Iterable[Leftover], before: float) -> list[Leftover]:
    """Set aside, look again, remove; so is what an earlier call had set aside when it was killed."""
    for one in blobs:
        if not one.path.name.startswith("."):
            with contextlib.suppress(FileNotFoundError):
                one.path.rename(one.path.with_name(f".{one.path.name}"))
    named, gone = mentioned(run), set[str]()
    for path in list(_blobs(run)):
        if not path.name.startswith("."):
            continue
        if _name(path) in named or not _old(path, before):
            _give_back(path)
        else:
            path.unlink(missing_ok=True)
            gone.add(_name(path))
    return [one for one in blobs if _name(one.path) in gone]


def _give_back(path: Path) -> None:
    with contextlib.suppress(FileExistsError):  # it was written again meanwhile
        os.link(path, path.with_name(_name(path)))
    path.unlink(missing_ok=True)
    atomic.sync_folder(path.parent)


def _remove_all(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _unfinished(run: RunFolder) -> list[Path]:
    return [path for path in run.layout.root.absolute().parent.iterdir() if is_leftover(path.name)]


def _files(folder: Path) -> Iterator[Path]:
    """Every plain file below a folder, those with a dot too."""
    for above, _, names in os.walk(folder, onerror=_raise):
        for name in names:
            path = Path(above, name)
            with contextlib.suppress(FileNotFoundError):
                if stat.S_ISREG(path.lstat().st_mode):
                    yield path


def _raise(error: OSError) -> None:
    raise error


def _blobs(run: RunFolder) -> Iterator[Path]:
    if run.blobs.folder.is_dir():
        yield from (path for path in _files(run.blobs.folder) if _BLOB.fullmatch(path.name))


def _name(path: Path) -> str:
    return path.name.removeprefix(".")


def _old(path: Path, before: float) -> bool:
    try:
        return path.lstat().st_mtime < before
    except FileNotFoundError:
        return False


def _in_use(path: Path, before: float) -> bool:
    """Whether a file, or one below a folder, is younger; or has gone, for somebody took it."""
    try:
        return any(not _old(one, before) for one in (path, *(_files(path) if path.is_dir() else ())))
    except FileNotFoundError:
        return True
