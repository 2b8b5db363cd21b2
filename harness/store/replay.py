"""The very bytes of a recorded talk."""

from functools import cached_property

import attrs

from harness.errors import CanonicalError, StoreCorruptError
from harness.store.blobs import Blobs
from harness.store.digests import Digest, digest
from harness.store.observed import bodies_digest
from harness.store.pack import Pack
from harness.store.record import AttemptRecord
from harness.store.segments import assemble, read
from harness.store.volatile import restore


@attrs.frozen(slots=False)
class Replay:
    """Gives back the bodies of a record's calls and its artifacts.

    Every method raises StoreCorruptError for damage: of a body it sees that the template is right, and `check` that the
    values in it are.
    """

    record: AttemptRecord
    blobs: Blobs

    @cached_property
    def pack(self) -> Pack:
        """The attempt's pack, unpacked once."""
        ref = self.record.observed.pack
        try:
            pack = Pack((), (), {}) if ref is None else Pack.from_bytes(self.blobs.get(ref.blob))
        except CanonicalError as error:
            assert ref is not None, "it was read"
            raise StoreCorruptError(f"The blob {self.blobs.path(ref.blob)} is damaged: {error}") from error
        calls, artifacts = self.record.content.calls, self.record.observed.artifacts
        counts = {len(pack.requests), len(pack.values.fields)}
        if counts != {len(calls)} or set(pack.artifacts) != set(artifacts):
            raise self._corrupt("its pack holds other calls or artifacts than it")
        if ref is not None and tuple(sorted(pack.blobs())) != ref.names:
            raise self._corrupt("its pack names other blobs than it")
        return pack

    def request(self, index: int) -> bytes:
        """The body of a request, as the sandbox sent it."""
        template = assemble(self.pack.requests, index, self.blobs)
        self._check(template, self.record.content.calls[index].request, f"the template of request {index}")
        return restore(template, self.pack.values.ids, {})

    def answer(self, index: int) -> bytes:
        """The body of an answer, as the upstream sent it."""
        template = read(self.pack.answers[index], self.blobs)
        what = f"the answer to request {index}"
        self._check(template, self.record.content.calls[index].answer, f"the template of {what}")
        return restore(template, self.pack.values.ids, self.pack.values.fields[index])

    def artifact(self, name: str) -> bytes:
        """The bytes of a file that came out of the sandbox; KeyError for one that did not."""
        expected = self.record.observed.artifacts[name]
        return self._check(read(self.pack.artifacts[name], self.blobs), expected, f"the artifact {name!r}")

    def check(self) -> None:
        """Give everything back once, and see that it is what was taken down."""
        numbers = range(len(self.record.content.calls))
        found = bodies_digest((digest(self.request(number)), digest(self.answer(number))) for number in numbers)
        ref = self.record.observed.pack
        if ref is not None and found != ref.bodies:
            raise self._corrupt(f"its requests and answers are not what they were (they come to {found})")
        for name in self.record.observed.artifacts:
            self.artifact(name)

    def _check(self, data: bytes, expected: Digest, what: str) -> bytes:
        if digest(data) != expected:
            raise self._corrupt(f"{what} is not what it was (its SHA-256 is {digest(data)}, not {expected})")
        return data

    def _corrupt(self, what: str) -> StoreCorruptError:
        content = self.record.content
        return StoreCorruptError(f"The record of task {content.task!r}, repeat {content.repeat}: {what}.")
