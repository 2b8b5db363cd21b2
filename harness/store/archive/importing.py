"""``harness import``: an archive back to a run folder, which appears only when every byte of it is proven.

The archive may come from anybody. Each digest is checked from index.json down before anything is written; what is
written has the names of a run folder only, into a folder that nobody looks at; there the run is verified as any other.
"""

from pathlib import Path

import attrs

from harness.errors import HarnessError, StoreCorruptError, UsageError
from harness.store import atomic
from harness.store.archive import checking, sources, unfinished, unpacking
from harness.store.archive.archiving import described, is_there
from harness.store.archive.checking import Checked
from harness.store.archive.contents import Contents
from harness.store.runfolder import RunFolder
from harness.store.space import check_space
from harness.store.verify import verify


@attrs.frozen
class Imported:
    """The archive, and the run that it became; ``new`` is False where the very same one was there before."""

    checked: Checked
    new: bool


def import_archive(path: Path, target: Path) -> Imported:
    """Make the run folder ``target`` of the archive at ``path``: a tar file or an OCI image layout in a folder.

    Raises StoreCorruptError for an archive that is damaged or holds what it should not; UsageError where there is no
    archive, or ``target`` holds something else; and as `harness.store.atomic` does. Then nothing new is there.
    """
    with sources.source(path) as source:
        checked = checking.read(source)
        checking.check(source, checked)
        for layer in checked.artifact.layers:
            unpacking.check(source, layer)
        if is_there(target):
            _check_same(target, checked)
            return Imported(checked, new=False)
        target = target.resolve()
        atomic.make_folder(target.parent)
        check_space(target.parent, sum(layer.size for layer in checked.artifact.layers))
        with atomic.explained(target), unfinished.beside(target, "import") as folder:
            folder.mkdir()
            for layer in checked.artifact.layers:
                unpacking.unpack(source, layer, folder)
            _prove(folder, checked, path)
            new = unfinished.put(folder, target)
        if not new:  # another process has made it meanwhile
            _check_same(target, checked)
    return Imported(checked, new=new)


def _check_same(target: Path, checked: Checked) -> None:
    """Equal runs have equal archives."""
    if not (target / "manifest.json").is_file():
        raise UsageError(f"{target} is there already and is no run folder. Name a new or an empty folder.")
    if described(target, stated=checked.artifact.stated).digest != checked.digest:
        raise UsageError(f"{target} holds another run, or another state of this one. Name a new or an empty folder.")


def _prove(folder: Path, checked: Checked, path: Path) -> None:
    """The run is whole, and is what the archive says that it is."""
    try:
        run = RunFolder.open(folder)
        problems = verify(run)
        facts = Contents.of(run).facts() if not problems else None
    except HarnessError as error:
        problems, facts = [str(error)], None
    if problems:
        lines = [problem.replace(f"{folder}/", "") for problem in problems]
        raise StoreCorruptError("\n".join([f"{path} holds a damaged run:", *lines]))
    if facts != checked.artifact.facts:
        raise StoreCorruptError(f"{path} holds another run than its annotations say.")
