"""Verifying files that were tampered with and then sealed again, and things that are no files."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

from harness.errors import StoreCorruptError
from harness.store import atomic
from harness.store.digests import digest
from harness.store.manifest import REPEATS_MAX, Manifest
from harness.store.record import AttemptRecord
from harness.store.runfolder import RunFolder
from harness.store.sealed import seal, unseal
from harness.store.verify import verify
from tests.store.conftest import TASK_SET
from tests.store.whole import SCORER, play

NAME = digest(SCORER)
GONE = object()
NUMBER = "@number@"


@pytest.fixture
def whole(tmp_path: Path, manifest: Manifest, make_record: Callable[..., AttemptRecord]) -> RunFolder:
    run = play(tmp_path / "whole", manifest, make_record)
    assert verify(run) == []
    return run


def file_of(run: RunFolder, kind: str) -> Path:
    return next(path for path in (run.layout.root / kind).rglob("*") if path.is_file())


def forge(path: Path, **changes: Any) -> None:
    """Change fields, or take them away, and seal the rest; a number is written as it is."""
    value = {**unseal(path.read_bytes()), **changes}
    path.write_bytes(seal({name: each for name, each in value.items() if each is not GONE}))


def forge_number(path: Path, name: str, number: str) -> None:
    forge(path, **{name: NUMBER})
    body = path.read_bytes().replace(f'"{NUMBER}"'.encode(), number.encode())
    body = b"{" + body[body.index(b",") + 1 :]
    path.write_bytes(b'{"_sha256":"' + digest(body).encode() + b'",' + body[1:])


def one_problem(run: RunFolder, *parts: str) -> None:
    problems = verify(run)
    assert len(problems) == 1, problems
    for part in parts:
        assert part in problems[0]


@pytest.mark.parametrize(
    "number", ["7", "-3", "1e+308", "NaN", "1e999", "1" * 5000, "true", '"1"', "1.0000000000000002"]
)
def test_a_reward_beyond_0_to_1_is_named(whole: RunFolder, number: str) -> None:
    path = whole.layout.score(NAME, "0", 0)
    forge_number(path, "reward", number)
    one_problem(whole, f"{path} is damaged")


@pytest.mark.parametrize("change", [{"format": 2}, {"verdict": 5}, {"judge": "x"}, {"mask_sample": GONE}, {"more": 1}])
def test_a_score_of_another_shape_is_named(whole: RunFolder, change: dict[str, Any]) -> None:
    path = whole.layout.score(NAME, "0", 0)
    forge(path, **change)
    one_problem(whole, f"{path} is damaged")


@pytest.mark.parametrize(
    "change",
    [
        {"format": 99},
        {"format": 1},
        {"body": 5},
        {"body": None},
        {"failure": 7},
        {"failure": "and a body"},
        {"observed": None},
        {"observed": {"started_ns": "1"}},
        {"observed": {"started_ns": "9" * 5000, "ended_ns": "1"}},
        {"judging": "x"},
        {"judging": GONE},
        {"judging": True},
        {"more": 1},
    ],
)
def test_a_judges_call_of_another_shape_is_named(whole: RunFolder, change: dict[str, Any]) -> None:
    path = file_of(whole, "judge")
    forge(path, **change)
    one_problem(whole, f"{path} is damaged")


@pytest.mark.parametrize("change", [{"scorer": "zz"}, {"scorer": None}, {"started_ns": "9" * 5000}, {"started_ns": 1}])
def test_an_observation_of_another_shape_is_named(whole: RunFolder, change: dict[str, Any]) -> None:
    path = file_of(whole, "observed")
    forge(path, **change)
    one_problem(whole, f"{path} is damaged")


@pytest.mark.parametrize("change", [{"scorer": None}, {"scorer": GONE}, {"manifest": "0" * 64}])
def test_a_summary_of_another_shape_is_named(whole: RunFolder, change: dict[str, Any]) -> None:
    path = whole.layout.root / "summary.json"
    forge(path, **change)
    one_problem(whole, f"{path} is damaged")


@pytest.mark.parametrize("kind", ["observed", "summary.json"])
def test_a_scorer_without_a_description_is_named(whole: RunFolder, kind: str) -> None:
    path = whole.layout.root / kind
    path = path if path.is_file() else file_of(whole, kind)
    forge(path, scorer=digest(b"nobody"))
    one_problem(whole, digest(b"nobody"), "is missing", str(path))


def replan(run: RunFolder, **plan: Any) -> RunFolder:
    manifest = attrs.evolve(run.manifest, plan={**run.manifest.plan, **plan})
    return RunFolder.create(run.layout.root.parent / "replanned", manifest, TASK_SET)


@pytest.mark.parametrize("repeats", [0, -1, True, None, "1", REPEATS_MAX + 1, 10**12])
def test_repeats_that_no_run_has_are_named(whole: RunFolder, repeats: Any) -> None:
    run = replan(whole, repeats=repeats)
    one_problem(run, str(run.layout.manifest), "repeats")


@pytest.mark.parametrize("tasks", [[], ["1", "2", "1"], ["1", 2], None, "12"])
def test_tasks_that_are_none_are_named(whole: RunFolder, tasks: Any) -> None:
    run = replan(whole, tasks=tasks)
    one_problem(run, str(run.layout.manifest), "task")


FOLDERS = ["attempts", "blobs", "blobs/sha256", "done", "judge", "observed", "scores"]


@pytest.mark.parametrize("name", FOLDERS)
def test_a_link_in_place_of_a_folder_is_named_once(whole: RunFolder, name: str, tmp_path: Path) -> None:
    path = whole.layout.root / name
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    one_problem(whole, f"{path} is no folder")


@pytest.mark.parametrize("name", ["observed", "scores", "judge"])
def test_a_file_in_place_of_a_folder_is_named(whole: RunFolder, name: str, tmp_path: Path) -> None:
    path = whole.layout.root / name
    path.rename(tmp_path / "elsewhere")
    path.write_bytes(b"")
    assert f"{path} is no folder: it doesn't belong into a run folder." in verify(whole)


@pytest.mark.parametrize("name", ["summary.json", "report.html", "rollouts.parquet"])
@pytest.mark.parametrize("kind", ["fifo", "dangling", "folder"])
def test_what_is_no_plain_file_at_the_top_is_named(whole: RunFolder, name: str, kind: str) -> None:
    path = whole.layout.root / name
    path.unlink(missing_ok=True)
    put(path, kind)
    one_problem(whole, f"{path} is no plain file")


@pytest.mark.parametrize("place", ["attempts", "blobs", "done", "judge", "observed", "scores"])
@pytest.mark.parametrize("kind", ["fifo", "dangling", "folder"])
def test_what_is_no_plain_file_deeper_is_named(whole: RunFolder, place: str, kind: str) -> None:
    path = file_of(whole, place)
    path.unlink()
    put(path, kind)
    problem = f"{path} is no plain file: it doesn't belong into a run folder."
    assert verify(whole).count(problem) == 1


def put(path: Path, kind: str) -> None:
    match kind:
        case "fifo":
            os.mkfifo(path)
        case "dangling":
            path.symlink_to("nothing")
        case "folder":
            path.mkdir()


def test_a_manifest_that_is_no_plain_file_is_refused(whole: RunFolder) -> None:
    path = whole.layout.manifest
    path.rename(path.parent / "manifest.old")
    path.symlink_to(path.parent / "manifest.old")
    with pytest.raises(StoreCorruptError, match="is no plain file"):
        RunFolder.open(whole.layout.root)


def test_a_folder_that_can_not_be_read_is_named_and_the_rest_is_checked(
    whole: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, real = whole.layout.attempts / "0" / "0", os.scandir
    stray = whole.layout.observed / "stray.txt"
    atomic.write(stray, b"")

    def closed(path: Path) -> Any:
        if Path(path) == folder:
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", closed)
    first, second = sorted(verify(whole))
    assert f"{folder} can't be read: Permission denied." in first
    assert str(stray) in second
