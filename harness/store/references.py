"""What a run folder says about an attempt: a reference to its file, and the file in done/ that makes it count."""

import re
from collections.abc import Iterable

import attrs

from harness.errors import CanonicalError
from harness.store.canonical import JSON, dumps_escaped
from harness.store.digests import Digest, digest, parse_digest
from harness.store.fields import Fields
from harness.store.record import AttemptRecord
from harness.store.sealed import seal, unseal

_WRITER = re.compile(r"[A-Za-z0-9%_-][A-Za-z0-9%_.-]*")


@attrs.frozen
class AttemptRef:
    """One attempt's file."""

    task: str
    repeat: int
    name: str
    sha256: Digest  # of the file
    content: Digest  # of the record's content
    masked: bool

    @classmethod
    def of(cls, record: AttemptRecord, name: str, data: bytes) -> "AttemptRef":
        """The reference to a record whose file holds ``data``."""
        content = record.content
        return cls(content.task, content.repeat, name, digest(data), content.digest, content.outcome.masked)


@attrs.frozen
class Done:
    """The attempt that counts for one task and repeat of the run whose identity is ``manifest``."""

    manifest: Digest
    task: str
    repeat: int
    attempt: str
    content: Digest

    @property
    def sha256(self) -> Digest:
        """Of the attempt's file: the end of its name."""
        return Digest(self.attempt[-64:])

    def to_bytes(self) -> bytes:
        """The file in done/: sealed, so that it is read without the record that it names."""
        return seal(attrs.asdict(self))

    @classmethod
    def from_bytes(cls, data: bytes) -> "Done":
        """Read it strictly; raises CanonicalError."""
        fields = Fields(unseal(data), "a file in done/")
        done = cls(
            manifest=fields.digest("manifest"),
            task=fields.text("task"),
            repeat=fields.integer("repeat"),
            attempt=fields.text("attempt"),
            content=fields.digest("content"),
        )
        fields.end()
        if not named_after(done.attempt, parse_digest(done.attempt[-64:])):
            raise CanonicalError(f"{done.attempt!r} is no name of an attempt.")
        return done


def content_of(dones: Iterable[Done]) -> Digest:
    """A run's content: SHA-256 of the canonical list of [task, repeat, content digest] of all that counts."""
    value: JSON = [list(entry) for entry in sorted((done.task, done.repeat, done.content) for done in dones)]
    return digest(dumps_escaped(value))


def named_after(name: str, sha256: Digest) -> bool:
    """Whether a record of these bytes may have this name: a writer's, a hyphen, the bytes' SHA-256."""
    writer = name.removesuffix(f"-{sha256}")
    return writer != name and _WRITER.fullmatch(writer) is not None
