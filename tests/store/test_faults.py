"""Each call that changes a disk fails once, in two ways: the right error, nothing half-written, and going on works."""

import errno
import itertools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.errors import HarnessError, NoSpaceError
from harness.store import together
from harness.store.manifest import Manifest
from harness.store.record import AttemptRecord
from harness.store.runfolder import RunFolder
from harness.store.verify import verify
from tests.store.whole import play

Make = Callable[..., AttemptRecord]

#: What the error says, by the number that the kernel gives.
SAID = {
    errno.ENOSPC: "No space to write",
    errno.EDQUOT: "No space to write",
    errno.EROFS: "May not write",
    errno.EIO: "Could not write",
}
REAL_OPEN = os.open
CALLS = ("open", "write", "fsync", "replace", "link", "mkdir")


class Failing:
    """Has the ``count``-th call of a name fail."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, module: Any, name: str, count: int, number: int) -> None:
        self.left, self._number = count, number
        self._real = getattr(module, name)
        monkeypatch.setattr(module, name, self._call)

    def _call(self, *arguments: Any, **options: Any) -> Any:
        if self._reads(*arguments):
            return self._real(*arguments, **options)
        self.left -= 1
        if self.left == 0:
            raise OSError(self._number, os.strerror(self._number))
        return self._real(*arguments, **options)

    def _reads(self, *arguments: Any) -> bool:
        """Whether it opens a file only to read it."""
        return self._real is REAL_OPEN and not arguments[1] & (os.O_CREAT | os.O_DIRECTORY)


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setattr(together, "flush", lambda _: None)


@pytest.fixture
def whole(tmp_path: Path, manifest: Manifest, make_record: Make) -> RunFolder:
    return play(tmp_path / "whole", manifest, make_record)


@pytest.mark.parametrize("number", SAID)
@pytest.mark.parametrize("name", CALLS)
def test_a_call_that_fails_leaves_nothing_half_written(
    tmp_path: Path, manifest: Manifest, make_record: Make, whole: RunFolder, name: str, number: int
) -> None:
    for count in itertools.count(1 + list(SAID).index(number) % 2, 2):
        path = tmp_path / str(count)
        with pytest.MonkeyPatch.context() as patched:
            failing = Failing(patched, os, name, count, number)
            said = failure(lambda path=path: play(path, manifest, make_record))
        if failing.left > 0:
            break
        assert said is None or says(said, number), f"{name} {count}: {said}"
        check(path, f"{name} {count}")
        resumed = play(path, manifest, make_record)
        check(path, f"{name} {count}, resumed")
        assert resumed.content_digest() == whole.content_digest()
    assert count > 2, "the call is made again and again"
    assert len(files(path)) == len(files(whole.layout.root))


@pytest.mark.parametrize(("name", "count"), [("open", 1), ("write", 1), ("write", 2)])
def test_scores_that_are_written_together_are_no_exception(
    tmp_path: Path, manifest: Manifest, monkeypatch: pytest.MonkeyPatch, name: str, count: int
) -> None:
    run = RunFolder.create(tmp_path / "run", manifest, b"[]")
    Failing(monkeypatch, os, name, count, errno.ENOSPC)
    with pytest.raises(NoSpaceError):
        run.grades.write_scores(manifest.rootfs, [("1", 0, b"{}"), ("2", 0, b"{}")])
    assert [path.name for path in files(run.layout.scores)] == []


def failure(act: Callable[[], object]) -> HarnessError | None:
    """The error for people that it came to, if any: a folder that is there by now need not be made."""
    try:
        act()
    except HarnessError as error:
        return error
    return None


def says(error: HarnessError, number: int) -> bool:
    is_full = number in {errno.ENOSPC, errno.EDQUOT}
    return str(error).startswith(SAID[number]) and isinstance(error, NoSpaceError) == is_full


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def check(path: Path, when: str) -> None:
    assert [file for file in files(path) if file.name.startswith(".")] == [], when
    if (path / "manifest.json").exists():
        assert verify(RunFolder.open(path)) == [], when
