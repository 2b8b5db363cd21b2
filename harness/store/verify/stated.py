"""Checking that what an archive stated of a run is true of it."""

from harness.errors import StoreCorruptError
from harness.store import reading
from harness.store.archive.contents import Contents
from harness.store.digests import file_digest
from harness.store.provenance import statement
from harness.store.runfolder import RunFolder
from harness.store.verify.findings import Findings


def check(run: RunFolder, found: Findings) -> None:
    """provenance.json, where there is one. Where something else is damaged, that was named: it says the same."""
    path = run.layout.provenance
    if found.problems or not path.exists():
        return
    with found.noted(path):
        contents = Contents.of(run)
        with reading.corrupt(run.layout.root):
            records = {entry.name: file_digest(run.layout.root / entry.name) for entry in contents.records}
        if reading.read(path) != statement(run, contents.facts().content, records):
            raise StoreCorruptError(
                f"{path} is not true of this run: it was changed, or a file of the run was added, changed or taken "
                "away by hand. Import the archive again."
            )
