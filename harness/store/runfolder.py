"""The run folder: one run's manifest, attempts, grades and what was observed.

Any number of processes on any number of nodes write into one folder: no locks, no appends, every file whole. Blobs are
written before the record that names them, the record before the file in done/ that makes it count.
"""

import os
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

import attrs

from harness.errors import CanonicalError, HarnessError, StoreCorruptError, UsageError
from harness.store import atomic, reading, together
from harness.store.blobs import Blobs
from harness.store.canonical import JSON
from harness.store.digests import Digest, digest
from harness.store.grades import Grades
from harness.store.layout import NAMES, Layout, writer_name
from harness.store.manifest import Manifest, differences
from harness.store.outdating import outdate
from harness.store.record import AttemptRecord
from harness.store.references import AttemptRef, Done, content_of, named_after
from harness.store.sealed import seal


@attrs.frozen(slots=False)
class RunFolder:
    """One run. Use `create` to run or resume, `open` to read.

    What writes raises as `harness.store.atomic` does; what reads raises StoreCorruptError for a damaged file.
    """

    layout: Layout
    manifest: Manifest
    blobs: Blobs
    grades: Grades

    @cached_property
    def identity(self) -> Digest:
        """The SHA-256 of the manifest."""
        return self.manifest.identity

    @classmethod
    def create(cls, path: Path, manifest: Manifest, task_set: bytes | None = None) -> "RunFolder":
        """Make the folder, or join one that has the very same manifest; raises UsageError where it has another.

        ``task_set``: the bytes that ``manifest.tasks`` is the digest of; whoever grades again reads them.
        """
        layout = Layout(path)
        if path.exists() and not path.is_dir():
            raise UsageError(f"{path} is a file. Name a new folder, or one that holds a run.")
        strangers = [name for name in reading.names(path) if name not in NAMES]
        if strangers and not layout.manifest.exists():
            raise UsageError(f"{path} is no run folder, and holds {strangers[0]!r}. Name a new or an empty folder.")
        run = cls.open(path) if layout.manifest.exists() else cls._begin(layout, manifest, task_set)
        if run.manifest != manifest:
            lines = "\n".join(f"  {line}" for line in differences(run.manifest, manifest))
            raise UsageError(
                f"{path} holds a run with other settings:\n{lines}\n"
                "Give the settings that it was started with, or another folder."
            )
        # What a killed writer named, a folder above the run even, may not be flushed, and is built on from now on.
        together.flush(path)
        if task_set is not None:
            run.blobs.put(task_set)  # a folder may be from before task sets were kept
        return run

    @classmethod
    def _begin(cls, layout: Layout, manifest: Manifest, task_set: bytes | None) -> "RunFolder":
        # What the manifest names comes before it.
        if task_set is not None and Blobs(layout.blobs).put(task_set) != manifest.tasks:
            raise HarnessError("The task set is not the one that the manifest names. Please report this.")
        atomic.publish(layout.manifest, manifest.to_bytes())
        return cls.open(layout.root)

    @classmethod
    def open(cls, path: Path) -> "RunFolder":
        """Open a folder that is there; raises UsageError where there is none."""
        layout = Layout(path)
        if not layout.manifest.is_file():
            why = "it has no manifest.json" if path.is_dir() else "there is no such folder"
            raise UsageError(f"{path} is no run folder: {why}.")
        with reading.corrupt(layout.manifest):
            manifest = Manifest.from_bytes(reading.read(layout.manifest))
        return cls(layout, manifest, Blobs(layout.blobs), Grades(layout))

    def write_attempt(self, record: AttemptRecord) -> AttemptRef:
        """Keep a record; its blobs must be kept already."""
        missing = sorted(blob for blob in record.blobs() if not self.blobs.has(blob))
        if missing:
            raise HarnessError(f"The record of task {record.content.task!r} names blobs that were not kept: {missing}.")
        # A blob may be another writer's, renamed but not yet flushed.
        with atomic.explained(self.blobs.folder):
            atomic.sync_folder(self.blobs.folder)
        data = record.to_bytes()
        writer = writer_name(record.observed.host, os.getpid(), record.observed.started_ns)
        name = f"{writer}-{digest(data)}"
        outdate(self.layout)
        atomic.write(self.layout.attempt(record.content.task, record.content.repeat, name), data)
        return AttemptRef.of(record, name, data)

    def publish_done(self, ref: AttemptRef) -> bool:
        """Make an attempt the one that counts; False where another one came first. Masked ones never count."""
        if ref.masked:
            raise HarnessError(f"Attempt {ref.name} of task {ref.task!r} is masked, so it can't count.")
        done = Done(self.identity, ref.task, ref.repeat, ref.name, ref.content)
        outdate(self.layout)
        won = atomic.publish(self.layout.done(ref.task, ref.repeat), done.to_bytes())
        return won or self.done(ref.task, ref.repeat) == done

    def done(self, task: str, repeat: int) -> Done | None:
        """The attempt that counts, if there is one."""
        path = self.layout.done(task, repeat)
        with reading.corrupt(path):
            data = reading.read_if_there(path)
            if data is None:
                return None
            done = Done.from_bytes(data)
            if (done.task, done.repeat) != (task, repeat):
                raise CanonicalError(f"It belongs to task {done.task!r}, repeat {done.repeat}.")
            if done.manifest != self.identity:
                raise CanonicalError(
                    f"It belongs to the run {done.manifest}, but this is {self.identity} by {self.layout.manifest}."
                )
        return done

    def dones(self) -> Iterator[Done]:
        """All attempts that count, by task and repeat."""
        for task, folder in reading.tasks(self.layout.dones):
            for repeat in sorted(reading.number(folder, name) for name in reading.names(folder)):
                done = self.done(task, repeat)
                if done is not None:
                    yield done

    def attempts(self, task: str, repeat: int) -> list[AttemptRef]:
        """All attempts at one task and repeat, masked ones too, by name."""
        return [self._read(task, repeat, name)[1] for name in self.attempt_names(task, repeat)]

    def attempt_names(self, task: str, repeat: int) -> list[str]:
        """The names of all attempts at one task and repeat."""
        return reading.json_names(self.layout.attempts_at(task, repeat))

    def read_attempt(self, task: str, repeat: int, name: str) -> AttemptRecord:
        """One attempt's record."""
        return self._read(task, repeat, name)[0]

    def rollout(self, done: Done) -> AttemptRecord:
        """The record that counts; raises StoreCorruptError when it isn't the one that was published."""
        record, ref = self._read(done.task, done.repeat, done.attempt)
        if (ref.sha256, ref.content, ref.masked) != (done.sha256, done.content, False):
            path = self.layout.done(done.task, done.repeat)
            raise StoreCorruptError(f"{path} is damaged: it doesn't say what the attempt holds that it names.")
        return record

    def published(self, done: Done) -> bytes:
        """The bytes of the record that counts, not read any further: their digest says that they were written so."""
        path = self.layout.attempt(done.task, done.repeat, done.attempt)
        data = reading.read(path)
        if digest(data) != done.sha256:
            raise StoreCorruptError(f"{path} is not the attempt that was published: its SHA-256 is {digest(data)}.")
        return data

    def content_digest(self) -> Digest:
        """The digest of all that counts, as `content_of` makes it."""
        return content_of(self.dones())

    def write_observed(self, host: str, started_ns: int, value: Mapping[str, JSON]) -> None:
        """Keep what is true of a place and time."""
        name = writer_name(host, os.getpid(), started_ns)
        outdate(self.layout)
        atomic.write(self.layout.observed / f"{name}.json", seal(value))

    def _read(self, task: str, repeat: int, name: str) -> tuple[AttemptRecord, AttemptRef]:
        path = self.layout.attempt(task, repeat, name)
        with reading.corrupt(path):
            data = reading.read(path)
            # First, since what a changed byte makes of the text says little.
            if not named_after(name, digest(data)):
                raise CanonicalError(f"Its SHA-256 is {digest(data)}, and it is named after other bytes.")
            record = AttemptRecord.from_bytes(data)
            if (record.content.task, record.content.repeat) != (task, repeat):
                raise CanonicalError(f"It belongs to task {record.content.task!r}, repeat {record.content.repeat}.")
        return record, AttemptRef.of(record, name, data)
