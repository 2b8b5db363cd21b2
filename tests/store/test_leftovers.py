"""What a collector may take away, what it leaves, and that a writer who comes meanwhile loses nothing."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.errors import StoreCorruptError
from harness.store import atomic, leftovers
from harness.store.digests import Digest, digest
from harness.store.leftovers import OLD_SCORES, TEMPORARY, UNFINISHED, UNNAMED
from harness.store.record import AttemptRecord
from harness.store.runfolder import RunFolder
from harness.store.verify import verify
from tests.store.aging import TEMPORARY_NAME, age, floor

SCORER, OLDER = digest(b"scorer"), digest(b"older scorer")


def found(run: RunFolder, **options: Any) -> set[tuple[str, str]]:
    root = run.layout.root
    return {(os.path.relpath(one.path, root), one.kind) for one in leftovers.find(run, floor(), **options)}


def collect(run: RunFolder, **options: Any) -> int:
    return len(leftovers.remove(run, leftovers.find(run, floor(), **options), floor()))


@pytest.fixture
def rollout(run: RunFolder, make_record: Callable[..., AttemptRecord]) -> AttemptRecord:
    record = make_record(run.blobs)
    assert run.publish_done(run.write_attempt(record))
    return record


def orphan(run: RunFolder, data: bytes = b"orphan") -> Path:
    return age(run.blobs.path(run.blobs.put(data)))


def test_a_whole_run_has_none(run: RunFolder, rollout: AttemptRecord) -> None:
    age(run.layout.root)
    assert found(run) == set()


def test_temporary_files_and_blobs_without_a_name_are_found_in_every_folder(
    run: RunFolder, rollout: AttemptRecord
) -> None:
    blob = orphan(run)
    for folder in (run.layout.root, run.blobs.folder, run.layout.attempts / "1" / "0", run.layout.dones / "1"):
        (folder / TEMPORARY_NAME).write_bytes(b"x")
        age(folder / TEMPORARY_NAME)
    assert found(run) == {
        (f"blobs/sha256/{blob.name}", UNNAMED),
        *((f"{name}{TEMPORARY_NAME}", TEMPORARY) for name in ("", "blobs/sha256/", "attempts/1/0/", "done/1/")),
    }
    assert collect(run) == 5
    assert found(run) == set()
    assert verify(run) == []


def test_a_report_that_never_got_its_name_goes(run: RunFolder, rollout: AttemptRecord) -> None:
    name = ".report.html.export-0123456789abcdef"
    for folder in (run.layout.root, run.layout.observed):  # it is made in the one, and a stranger in the other
        folder.mkdir(exist_ok=True)
        (folder / name).write_bytes(b"x")
        age(folder / name)
    assert found(run) == {(name, TEMPORARY)}
    assert collect(run) == 1


def test_a_report_keeps_no_blob_and_may_be_larger_than_any_record(
    run: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    blob = orphan(run)
    monkeypatch.setattr("harness.store.reading.BLOB_MAX", 100_000)
    (run.layout.root / "report.html").write_bytes(blob.name.encode() + b" " * 200_000)
    assert found(run) == {(f"blobs/sha256/{blob.name}", UNNAMED)}


def test_what_is_younger_than_the_floor_stays(run: RunFolder) -> None:
    blob = run.blobs.path(run.blobs.put(b"orphan"))
    (run.layout.root / TEMPORARY_NAME).write_bytes(b"x")
    assert found(run) == set()
    assert collect(run) == 0
    assert blob.exists()


def test_other_hidden_files_stay(run: RunFolder) -> None:
    (run.layout.root / ".nfs000000000001").write_bytes(b"x")
    age(run.layout.root)
    assert found(run) == set()


@pytest.mark.parametrize("where", ["observed/x.json", "scores/{}/1/0.json", "attempts/1/0/{}.json", "judge/x/0.json"])
def test_a_blob_that_any_file_mentions_stays(run: RunFolder, where: str) -> None:
    blob = orphan(run)
    path = run.layout.root / where.format(blob.name)
    atomic.write(path, b"not even JSON" if "{}" in where else f'{{"x":"{blob.name}"'.encode())
    age(run.layout.root)
    assert found(run) == set()


def test_the_tail_of_a_longer_number_is_no_mention(run: RunFolder) -> None:
    blob = orphan(run)
    atomic.write(run.layout.observed / "x.json", f"ab{blob.name}".encode())
    assert found(run) == {(f"blobs/sha256/{blob.name}", UNNAMED)}


def test_a_blob_that_only_a_dead_temporary_file_mentions_goes_with_it(run: RunFolder) -> None:
    blob = orphan(run)
    (run.layout.root / TEMPORARY_NAME).write_text(blob.name)
    age(run.layout.root)
    assert collect(run) == 2
    assert not blob.exists()


def test_whoever_keeps_bytes_again_makes_their_file_new(run: RunFolder) -> None:
    blob = orphan(run)
    run.blobs.put(b"orphan")
    assert found(run) == set()
    assert blob.exists()


def between(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Have a writer act when blobs were set aside and are about to go."""
    real = leftovers.mentioned
    monkeypatch.setattr(leftovers, "mentioned", lambda run: (act(), real(run))[1])


def test_a_blob_that_is_named_meanwhile_comes_back(run: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    blob, going = orphan(run), leftovers.find(run, floor())
    between(monkeypatch, lambda: atomic.write(run.layout.observed / "x.json", blob.name.encode()))
    assert leftovers.remove(run, going, floor()) == []
    assert blob.read_bytes() == b"orphan"
    assert not blob.with_name(f".{blob.name}").exists()


def test_a_blob_that_is_kept_meanwhile_is_there_afterwards(run: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    blob, going = orphan(run), leftovers.find(run, floor())
    between(monkeypatch, lambda: run.blobs.put(b"orphan"))
    leftovers.remove(run, going, floor())
    assert blob.read_bytes() == b"orphan"


def test_a_blob_that_was_made_new_just_before_comes_back(run: RunFolder) -> None:
    blob, going = orphan(run), leftovers.find(run, floor())
    run.blobs.put(b"orphan")
    assert leftovers.remove(run, going, floor()) == []
    assert blob.read_bytes() == b"orphan"


@pytest.mark.parametrize("named", [True, False])
def test_what_a_killed_collector_had_set_aside_comes_back_or_goes(run: RunFolder, named: bool) -> None:
    blob = orphan(run)
    aside = blob.rename(blob.with_name(f".{blob.name}"))
    if named:
        atomic.write(run.layout.observed / "x.json", blob.name.encode())
    assert collect(run) == (0 if named else 1)
    assert blob.exists() == named
    assert not aside.exists()


def test_scores_of_other_scorers_go_only_when_asked(run: RunFolder, rollout: AttemptRecord) -> None:
    for scorer in (SCORER, OLDER):
        run.grades.write_score(scorer, "1", 0, {"reward": 1})
    age(run.layout.root)
    assert found(run) == set()
    assert found(run, counts=SCORER) == {(f"scores/{OLDER}", OLD_SCORES)}
    assert collect(run, counts=SCORER) == 1
    assert run.grades.score(SCORER, "1", 0) is not None
    assert not (run.layout.scores / OLDER).exists()


def test_scores_that_are_being_written_stay(run: RunFolder, rollout: AttemptRecord) -> None:
    run.grades.write_score(OLDER, "1", 0, {"reward": 1})
    run.grades.write_score(OLDER, "1", 1, {"reward": 1})
    age(run.layout.root)
    os.utime(run.layout.score(Digest(OLDER), "1", 1))
    assert found(run, counts=SCORER) == set()


def test_unfinished_imports_and_archives_beside_a_run_go(run: RunFolder) -> None:
    beside = run.layout.root.parent
    folder, file = beside / f".other.import-{'0' * 16}", beside / f".run.tar.archive-{'1' * 16}"
    (folder / "attempts").mkdir(parents=True)
    (folder / "attempts/x").write_bytes(b"12345")
    file.write_bytes(b"x")
    assert found(run) == set()
    age(folder)
    age(file)
    assert found(run) == {(f"../{folder.name}", UNFINISHED), (f"../{file.name}", UNFINISHED)}
    assert collect(run) == 2
    assert not folder.exists()


def test_sizes_are_told(run: RunFolder) -> None:
    orphan(run, b"x" * 1000)
    assert [one.size for one in leftovers.find(run, floor())] == [1000]


def test_blobs_come_back_where_a_file_can_no_longer_be_read(run: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    blob, going = orphan(run), leftovers.find(run, floor())

    def unreadable() -> None:
        raise StoreCorruptError("x can't be read")

    between(monkeypatch, unreadable)
    with pytest.raises(StoreCorruptError):
        leftovers.remove(run, going, floor())
    assert blob.read_bytes() == b"orphan"


def swapped(folder: Path, elsewhere: Path) -> Path:
    """Put a folder elsewhere, and a link to it in its place."""
    folder.rename(elsewhere)
    folder.symlink_to(elsewhere)
    return elsewhere


@pytest.mark.parametrize("where", ["attempts", "attempts/1", "blobs", "blobs/sha256", "scores", "observed/x.json"])
def test_a_run_with_a_link_in_it_is_refused(run: RunFolder, rollout: AttemptRecord, tmp_path: Path, where: str) -> None:
    orphan(run)
    run.grades.write_score(OLDER, "1", 0, {"reward": 1})
    atomic.write(run.layout.observed / "x.json", b"x")
    swapped(run.layout.root / where, tmp_path / "elsewhere")
    age(run.layout.root)
    with pytest.raises(StoreCorruptError, match=rf"{run.layout.root / where} is a symbolic link"):
        leftovers.find(run, floor(), counts=SCORER)


def test_a_pipe_in_a_run_is_refused(run: RunFolder) -> None:
    os.mkfifo(run.layout.root / "judge")
    with pytest.raises(StoreCorruptError, match="judge is a FIFO"):
        leftovers.find(run, floor())


@pytest.mark.parametrize("where", ["blobs/sha256", "scores"])
def test_nothing_goes_through_a_link_that_came_in_between(
    run: RunFolder, rollout: AttemptRecord, tmp_path: Path, where: str
) -> None:
    orphan(run)
    run.grades.write_score(OLDER, "1", 0, {"reward": 1})
    age(run.layout.root)
    going = leftovers.find(run, floor(), counts=SCORER)
    elsewhere = swapped(run.layout.root / where, tmp_path / "elsewhere")
    before = sorted(elsewhere.rglob("*"))
    with pytest.raises((OSError, StoreCorruptError)):
        leftovers.remove(run, going, floor())
    assert sorted(elsewhere.rglob("*")) == before


def test_a_link_named_as_an_unfinished_archive_stays(run: RunFolder, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    link = run.layout.root.parent / f".x.archive-{'0' * 16}"
    link.symlink_to(tmp_path / "elsewhere")
    age(link)
    assert found(run) == set()
    assert leftovers.strange(run) == [link]


def test_links_in_an_unfinished_import_go_and_what_they_lead_to_stays(run: RunFolder, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    folder = run.layout.root.parent / f".x.import-{'0' * 16}"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path / "elsewhere")
    age(folder)
    assert collect(run) == 1
    assert (tmp_path / "elsewhere").is_dir()


def test_a_scorer_whose_scores_were_never_finished_keeps_its_description(
    run: RunFolder, rollout: AttemptRecord
) -> None:
    scorer = run.blobs.put(b"a scorer")
    unfinished = run.layout.score(scorer, "1", 0).with_name(TEMPORARY_NAME)
    unfinished.parent.mkdir(parents=True)
    unfinished.write_bytes(b"half a score")
    age(run.layout.root)
    assert collect(run) == 1
    assert run.blobs.has(scorer)
    assert verify(run) == []


def test_a_writer_does_not_miss_what_is_set_aside(
    run: RunFolder, make_record: Callable[..., AttemptRecord], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_record(run.blobs)  # a killed writer's
    age(run.layout.root)
    going = leftovers.find(run, floor())
    record = make_record(run.blobs)
    mentioned = leftovers.mentioned

    def while_it_looks(*given: Any) -> set[str]:
        assert not any(
            run.blobs.path(one).exists() for one in record.blobs() if run.blobs.path(one) in map(_path, going)
        )
        assert run.publish_done(run.write_attempt(record))
        return mentioned(*given)

    monkeypatch.setattr(leftovers, "mentioned", while_it_looks)
    leftovers.remove(run, going, floor())
    assert verify(run) == []


def _path(one: leftovers.Leftover) -> Path:
    return one.path
