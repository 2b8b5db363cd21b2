"""What installing a file does: the same tasks whichever file they came from, all or nothing."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from harness.benchmarks.babyvision.data import importing
from harness.benchmarks.babyvision.data.importing import OFFICIAL, add, use
from harness.benchmarks.babyvision.data.installed import Place
from harness.errors import NoSpaceError, UsageError
from harness.store.batch import Batch
from harness.store.digests import digest, file_digest
from tests.benchmarks.babyvision.data.conftest import ODD, Files
from tests.benchmarks.babyvision.synthetic import GOLD, SOLUTION, rows, write_parquet


def test_a_zip_and_a_parquet_of_the_same_tasks_have_one_digest(whole: Files, tmp_path: Path) -> None:
    from_zip = add(Place.of(tmp_path / "one"), whole.zip, whole.expected)
    from_parquet = add(Place.of(tmp_path / "two"), whole.parquet)
    assert from_zip.data.digest == from_parquet.data.digest
    assert from_zip.data.puzzles == from_parquet.data.puzzles
    assert list(from_zip.data.puzzles) == [str(number) for number in range(613, 1001)]


def test_both_files_may_be_installed_beside_each_other(files: Files, place: Place) -> None:
    add(place, files.parquet, files.expected)
    installed = add(place, files.zip, files.expected)
    assert [(origin.kind, origin.sha256) for origin in installed.origins] == [
        ("zip", file_digest(files.zip)),
        ("parquet", file_digest(files.parquet)),
    ]


def test_images_are_kept_byte_for_byte_but_for_those_that_are_converted(files: Files, place: Place) -> None:
    installed = add(place, files.parquet, files.expected)
    assert {puzzle.task_id: puzzle.original.format for puzzle in installed.conversions if puzzle.original} == ODD
    for row in files.rows:
        puzzle = installed.data.puzzles[str(row["taskId"])]
        kept = installed.data.image(puzzle)
        if puzzle.original:
            assert puzzle.original.sha256 == digest(row["image"])
            assert kept.startswith(b"\x89PNG")
        else:
            assert kept == row["image"]


def test_answers_are_kept_and_worked_solutions_are_not(files: Files, place: Place) -> None:
    add(place, files.zip, files.expected)
    kept = b"".join(path.read_bytes() for path in place.folder.rglob("*") if path.is_file())
    assert GOLD.encode() in kept
    assert SOLUTION.encode() not in kept


def test_another_zip_than_the_authors_is_refused_with_both_digests(files: Files, place: Place) -> None:
    with pytest.raises(UsageError, match=f"SHA-256 is {file_digest(files.zip)}, expected is {OFFICIAL.zip_sha256}"):
        add(place, files.zip)
    assert not place.folder.exists()


def test_another_parquet_is_refused_until_the_record_is_deleted(files: Files, place: Place, tmp_path: Path) -> None:
    add(place, files.parquet, files.expected)
    changed = [{**files.rows[0], "question": "Another one?"}, *files.rows[1:]]
    other = write_parquet(tmp_path / "other.parquet", changed)
    with pytest.raises(UsageError) as caught:
        add(place, other, files.expected)
    for part in (file_digest(other), file_digest(files.parquet), f"rm {place.record('parquet')}"):
        assert part in str(caught.value)
    place.record("parquet").unlink()
    assert add(place, other, files.expected).data.puzzles["1000"].question == "Another one?"


def test_copies_that_hold_different_tasks_are_refused_with_task_and_field(
    files: Files, place: Place, tmp_path: Path
) -> None:
    changed = [{**files.rows[0], "subtype": files.rows[1]["subtype"]}, *files.rows[1:]]
    add(place, write_parquet(tmp_path / "other.parquet", changed), files.expected)
    with pytest.raises(UsageError, match=r"task 1000 differs in subtype.*rm .*parquet\.json"):
        add(place, files.zip, files.expected)
    assert not place.record("zip").exists()


def test_a_file_that_is_installed_is_used_without_reading_it_again(
    files: Files, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = use(place, files.parquet, files.expected)
    monkeypatch.setattr(importing, "add_source", None)
    assert use(place, files.parquet, files.expected).data.digest == first.data.digest


def test_adding_again_puts_damage_right(files: Files, place: Place) -> None:
    installed = add(place, files.parquet, files.expected)
    puzzle = installed.data.puzzles["805"]
    good = installed.data.image(puzzle)
    place.blobs.path(puzzle.image).write_bytes(bytes(len(good)))
    place.blobs.path(installed.origins[0].rows).unlink()
    assert add(place, files.parquet, files.expected).data.image(puzzle) == good


def test_a_full_disk_leaves_nothing_visible(files: Files, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    write, written = Path.write_bytes, 0

    def full_after_a_while(path: Path, data: bytes) -> int:
        nonlocal written
        written += 1
        if written > 20:
            write(path, data[:5])
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(path, data)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full_after_a_while)
        with pytest.raises(NoSpaceError):
            add(place, files.parquet, files.expected)
    assert place.open() is None
    assert len(list(place.blobs.folder.iterdir())) == 20
    assert add(place, files.parquet, files.expected).data.digest


def test_too_little_room_is_said_before_anything_is_written(
    files: Files, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "_SPARE", 1 << 60)
    with pytest.raises(NoSpaceError):
        add(place, files.parquet, files.expected)
    assert not place.folder.exists()


def test_a_file_that_changes_meanwhile_is_refused(files: Files, place: Place, tmp_path: Path) -> None:
    path = tmp_path / "growing.parquet"
    path.write_bytes(files.parquet.read_bytes())
    load = importing.load

    def slow(*arguments: object) -> object:
        found = load(*arguments)  # type: ignore[arg-type]
        with path.open("ab") as file:
            file.write(b"!")
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(importing, "load", slow)
        with pytest.raises(UsageError, match=r"growing\.parquet changed while it was read"):
            add(place, path, files.expected)
    assert place.open() is None


ADD = """
import os, sys
from pathlib import Path
from harness.benchmarks.babyvision.data import importing
from harness.benchmarks.babyvision.data.installed import Place
from harness.store.batch import Batch
put, left = Batch.put, int(sys.argv[3])
def counted(batch, data):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), 9)
    return put(batch, data)
Batch.put = counted
os.fsync = lambda handle: None
any_rows = importing.Expected(structure=None)
print(importing.add(Place.of(Path(sys.argv[1])), Path(sys.argv[2]), any_rows).data.digest)
"""


def started(place: Place, path: Path, killed_at: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", ADD, str(place.folder.parent), str(path), str(killed_at)]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env)


@pytest.mark.parametrize("killed_at", [20, 31])
def test_a_killed_import_leaves_nothing_visible(files: Files, place: Place, killed_at: int) -> None:
    process = started(place, files.parquet, killed_at)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert place.open() is None
    assert add(place, files.parquet, files.expected).data.digest


def test_two_imports_at_once_both_succeed(files: Files, place: Place) -> None:
    both = [started(place, files.parquet, 0) for _ in range(2)]
    said = [process.communicate()[0].strip() for process in both]
    assert [process.returncode for process in both] == [0, 0]
    installed = place.open()
    assert installed is not None
    assert said == [installed.data.digest] * 2


def test_of_two_different_parquets_at_once_the_first_to_finish_counts(
    files: Files, place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = write_parquet(tmp_path / "other.parquet", rows()[:9])
    flush = Batch.flush

    def overtaken(batch: Batch) -> None:
        monkeypatch.setattr(Batch, "flush", flush)
        add(place, files.parquet, files.expected)
        flush(batch)

    monkeypatch.setattr(Batch, "flush", overtaken)
    with pytest.raises(UsageError, match="another parquet than the one that was installed before"):
        add(place, other, files.expected)
    installed = place.open()
    assert installed is not None
    assert [origin.sha256 for origin in installed.origins] == [file_digest(files.parquet)]
