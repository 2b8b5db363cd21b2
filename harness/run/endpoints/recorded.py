"""A recorded run that stands in for the endpoints of another one."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import attrs

from harness.gateway import GatewaySettings, Recorded, Source, Unrecorded
from harness.grading.scorer import Scorer
from harness.run import scorers
from harness.run.endpoints.recorded_judge import RecordedJudge
from harness.run.settings.recorded import recorded
from harness.run.settings.resolve import Settings
from harness.store.canonical import JSON
from harness.store.layout import Layout
from harness.store.replay import Replay
from harness.store.runfolder import RunFolder


@attrs.frozen
class RecordedRun:
    """The run that a replay's answers come from; ``path`` is the folder or archive that was named."""

    path: Path
    run: RunFolder

    def settings(self, settings: Settings) -> Settings:
        """The settings with those of the record for what is left open; raises UsageError for a contradiction."""
        found = self._scorer
        return recorded(settings, self.run.manifest, found.judge if found else None, self.run.layout.manifest)

    @asynccontextmanager
    async def source(self, task: str, repeat: int, settings: GatewaySettings) -> AsyncIterator[Source]:
        """The answers of the attempt that counts. Raises StoreCorruptError where its record is damaged."""
        yield await asyncio.to_thread(self._source, task, repeat, settings)

    def judge(self, run: RunFolder) -> RecordedJudge:
        """The judge's replies, for a run that is answered from this one."""
        return RecordedJudge(self.run.grades, run.grades, self._scorer.judging if self._scorer else 0)

    @property
    def observed(self) -> dict[str, JSON]:
        """What a run that is answered from it says of that."""
        return {"path": str(self.path), "manifest": self.run.manifest.identity}

    def _source(self, task: str, repeat: int, settings: GatewaySettings) -> Source:
        done = self.run.done(task, repeat)
        if done is None:
            return Unrecorded(self._missing(task, repeat))
        replay = Replay(self.run.rollout(done), self.run.blobs)
        # Before a sandbox asks: what is damaged must not look like an endpoint that failed.
        replay.check()
        return Recorded(replay, settings)

    def _missing(self, task: str, repeat: int) -> str:
        attempts = self.run.attempts(task, repeat)
        why = f"all its {len(attempts)} attempts are masked" if attempts else "it was not played"
        return f"The record has no attempt at task {task!r}, repeat {repeat}, that counts: {why}."

    @property
    def _scorer(self) -> Scorer | None:
        """The scorer that the run is graded by; None where that isn't known any more."""
        name = scorers.current(self.run)
        return None if name is None else scorers.read(self.run, name)


def replayed(path: Path | None, scratch: Path) -> RecordedRun | None:
    """The run that answers, where one is named; raises as `opened` does."""
    return None if path is None else RecordedRun(path, opened(path, scratch))


def opened(path: Path, scratch: Path) -> RunFolder:
    """The run in a folder, or in an archive, which is unpacked into ``scratch`` and checked.

    Raises UsageError for anything else, StoreCorruptError for an archive that is damaged, NoSpaceError.
    """
    if Layout(path).manifest.is_file():
        return RunFolder.open(path)
    from harness.store.archive.importing import import_archive

    folder = scratch / "recorded"
    import_archive(path, folder)
    return RunFolder.open(folder)
