"""Many blobs at once: each appears whole, and all are flushed to the disk together before anything names them."""

import os
import secrets

import attrs

from harness.errors import StoreCorruptError
from harness.store import atomic
from harness.store.blobs import Blobs
from harness.store.digests import Digest, digest


@attrs.define
class Batch:
    """Blobs that are written one after another. Until `flush` returns, no record may name them.

    A power cut before then may leave a file of the right name with other bytes; so one that is there is hashed, and
    written again if need be.
    """

    blobs: Blobs
    _written: list[Digest] = attrs.field(init=False, factory=list)

    def put(self, data: bytes) -> Digest:
        """Keep some bytes and return their name; raises NoSpaceError or HarnessError, with nothing half-written."""
        name = digest(data)
        try:
            self.blobs.get(name)
        except StoreCorruptError:
            self._write(name, data)
        return name

    def flush(self) -> None:
        """Bring to the disk whatever was written; raises NoSpaceError or HarnessError."""
        with atomic.explained(self.blobs.folder):
            for name in self._written:
                handle = os.open(self.blobs.path(name), os.O_RDONLY | os.O_CLOEXEC)
                try:
                    os.fsync(handle)
                finally:
                    os.close(handle)
            atomic.sync_folder(self.blobs.folder)
        self._written.clear()

    def _write(self, name: Digest, data: bytes) -> None:
        path = self.blobs.path(name)
        with atomic.explained(path):
            atomic.make_folder(path.parent)
            temporary = path.parent / f".{secrets.token_hex(8)}"
            try:
                temporary.write_bytes(data)
                temporary.replace(path)
            finally:
                temporary.unlink(missing_ok=True)
        self._written.append(name)
