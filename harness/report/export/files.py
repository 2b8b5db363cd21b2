"""The files of one export: all of them appear whole, or none is touched.

They are written under temporary names beside their places. What stands there already is replaced only where its bytes
are the same, or where the caller says so.
"""

import contextlib
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import attrs

from harness.errors import HarnessError, UsageError
from harness.store import atomic
from harness.store.archive import unfinished
from harness.store.digests import Digest, file_digest
from harness.store.foreign import plain


@attrs.define
class Output:
    """One file under way; ``rows`` counts what was written, ``sha256`` is known once the file has its name."""

    path: Path
    temporary: Path
    file: BinaryIO
    rows: int = 0
    sha256: Digest | None = None

    def write(self, row: bytes) -> None:
        """Add one row; raises NoSpaceError or HarnessError."""
        with atomic.explained(self.path):
            self.file.write(row)
        self.rows += 1


@attrs.define
class Outputs:
    """The files of one export, in the order in which they were begun."""

    replace: bool
    _begun: list[Output] = attrs.field(factory=list, init=False)

    def begin(self, path: Path) -> Output:
        """A new file at ``path``, which is there when the block of `outputs` has ended."""
        if (kind := _other(path)) is not None:
            raise UsageError(f"{path} is {kind}, and no plain file. Name another with --out.")
        with atomic.explained(path):
            atomic.make_folder(path.parent)
            temporary = unfinished.name_beside(path, "export")
            output = Output(path, temporary, temporary.open("xb"))
        self._begun.append(output)
        return output

    def discard(self, output: Output) -> None:
        """Leave a file out after all."""
        self._begun.remove(output)
        output.file.close()
        output.temporary.unlink()

    @property
    def begun(self) -> tuple[Output, ...]:
        """Those that are to be there."""
        return tuple(self._begun)

    def finish(self) -> None:
        """Give all files their names; raises UsageError where that would change one that is there."""
        for output in self._begun:
            with atomic.explained(output.path):
                output.file.flush()
                os.fsync(output.file.fileno())
                output.file.close()
                output.sha256 = file_digest(output.temporary)
        changed = [output for output in self._begun if not self._held(output)]
        self._put(changed)
        for folder in {output.path.parent for output in changed}:
            with atomic.explained(folder):
                atomic.sync_folder(folder)

    def _put(self, changed: Sequence[Output]) -> None:
        """Give files their names; those that were new go again where one may not get its own."""
        new: list[Output] = []
        try:
            for output in changed:
                with atomic.explained(output.path):
                    if self.replace:
                        output.temporary.replace(output.path)
                    elif unfinished.claim(output.temporary, output.path):
                        new.append(output)
                    elif not self._held(output):  # another process may have made the same meanwhile
                        raise UsageError(f"{output.path} is there and leads nowhere. Name another with --out.")
        except HarnessError:
            for output in new:
                output.path.unlink(missing_ok=True)
            raise

    def drop(self) -> None:
        """Remove what has not got its name."""
        for output in self._begun:
            with contextlib.suppress(OSError):  # of a full disk, for what is still to be written; it is not wanted
                output.file.close()
            output.temporary.unlink(missing_ok=True)

    def _held(self, output: Output) -> bool:
        """Whether the file is there already, byte for byte."""
        with atomic.explained(output.path):
            if not output.path.exists():
                return False
            if file_digest(output.path) == output.sha256:
                return True
        if not self.replace:
            raise UsageError(f"{output.path} is there and holds something else. Name another with --out, or --force.")
        return False


def _other(path: Path) -> str | None:
    """What stands there that no file may take the place of: a link too, whoever made it."""
    with atomic.explained(path), contextlib.suppress(FileNotFoundError, NotADirectoryError):
        kind = stat.S_IFMT(path.lstat().st_mode)
        return None if kind == stat.S_IFREG else plain.KINDS.get(kind, "something else")
    return None


@contextlib.contextmanager
def outputs(*, replace: bool) -> Iterator[Outputs]:
    """Files that get their names at the end of the block, unless it raises."""
    files = Outputs(replace)
    try:
        yield files
        files.finish()
    finally:
        files.drop()
