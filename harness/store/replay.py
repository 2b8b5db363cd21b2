"""The very bytes of a recorded talk."""

import attrs

from harness.errors import StoreCorruptError
from harness.store.blobs import Blobs
from harness.store.digests import Digest, digest
from harness.store.record import AttemptRecord
from harness.store.segments import assemble, read
from harness.store.volatile import restore


@attrs.frozen
class Replay:
    """Gives back the bodies of a record's calls; raises StoreCorruptError when they are not what they were."""

    record: AttemptRecord
    blobs: Blobs

    def request(self, index: int) -> bytes:
        """The body of a request, as the sandbox sent it."""
        template = assemble([call.request for call in self.record.content.calls], index, self.blobs)
        data = restore(template, self.record.observed.ids, {})
        return self._checked(data, self.record.observed.calls[index].request_sha256, f"request {index}")

    def answer(self, index: int) -> bytes:
        """The body of an answer, as the upstream sent it."""
        observed = self.record.observed.calls[index]
        template = read(self.record.content.calls[index].answer, self.blobs)
        data = restore(template, self.record.observed.ids, observed.fields)
        return self._checked(data, observed.answer_sha256, f"the answer to request {index}")

    def _checked(self, data: bytes, expected: Digest, what: str) -> bytes:
        if digest(data) != expected:
            content = self.record.content
            raise StoreCorruptError(
                f"The record of task {content.task!r}, repeat {content.repeat}: {what} is not what it was "
                f"(its SHA-256 is {digest(data)}, not {expected})."
            )
        return data
