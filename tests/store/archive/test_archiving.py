"""Writing archives: the same bytes each time, what is in them, and what is refused."""

import hashlib
import json
import os
import random
import shutil
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.errors import HarnessError, NoSpaceError, StoreCorruptError, UsageError
from harness.store.archive import archiving, descriptors, sinks, unfinished, writing
from harness.store.archive.archiving import archive, described
from harness.store.archive.contents import Contents, Entry
from harness.store.digests import digest
from harness.store.runfolder import RunFolder
from harness.store.score import Score
from tests.store.archive.conftest import files_of, inner, nothing_left, outer


def scrambled(root: Path, target: Path) -> Path:
    """The same run, its files written in another order, with other times and modes."""
    files = list(files_of(root).items())
    random.Random(7).shuffle(files)
    before = os.umask(0o077)
    for number, (name, data) in enumerate(files):
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod(0o600)
        os.utime(path, (number, number))
    os.umask(before)
    return target


def test_equal_runs_have_equal_archives(stored: RunFolder, packed: Path, tmp_path: Path) -> None:
    other = scrambled(stored.layout.root, tmp_path / "other")
    done = archive(other, tmp_path / "other.tar")
    assert packed.read_bytes() == (tmp_path / "other.tar").read_bytes()
    assert done.new
    assert described(other) == done.written


def test_an_archive_holds_every_file_of_the_run(stored: RunFolder, packed: Path) -> None:
    files, found = outer(packed), {}
    (named,) = json.loads(files["index.json"])["manifests"]
    manifest = json.loads(files["blobs/sha256/" + named["digest"].removeprefix("sha256:")])
    for layer in manifest["layers"]:
        data = files["blobs/sha256/" + layer["digest"].removeprefix("sha256:")]
        title = layer["annotations"]["org.opencontainers.image.title"]
        found |= inner(data) if title.endswith(".tar") else {title: data}
        assert len(data) == layer["size"]
    assert found.pop("provenance.json")
    assert found == files_of(stored.layout.root)
    assert all(name.rpartition("/")[2] == digest(data) for name, data in files.items() if name.startswith("blobs/"))


def test_a_person_sees_the_run_in_a_registry(stored: RunFolder, tmp_path: Path) -> None:
    artifact = archive(stored.layout.root, tmp_path / "a.tar").written.artifact
    assert json.loads(artifact.to_bytes())["annotations"] == {
        "vnd.hermetic-harness.benchmark": "demo",
        "vnd.hermetic-harness.model": "vlm",
        "vnd.hermetic-harness.manifest": stored.identity,
        "vnd.hermetic-harness.content": stored.content_digest(),
        "vnd.hermetic-harness.rollouts": "2",
    }
    assert [layer.title[:13] for layer in artifact.layers] == [
        "records.tar",
        "blobs.tar",
        "provenance.js",
        *["blobs/sha256/"] * 3,
    ]


def test_what_is_derived_and_what_is_unfinished_stays_out(stored: RunFolder, packed: Path, tmp_path: Path) -> None:
    root = stored.layout.root
    for name in ("report.html", "rollouts.parquet", ".0123456789abcdef", "done/1/.0123456789abcdef"):
        (root / name).write_bytes(b"x")
    archive(root, tmp_path / "again.tar")
    assert packed.read_bytes() == (tmp_path / "again.tar").read_bytes()


def test_grading_again_changes_the_records_and_what_is_stated_of_them(stored: RunFolder, tmp_path: Path) -> None:
    layers = []
    for reward in (0, 1):
        stored.grades.write_score(digest(b"the scorer"), "1", 0, Score(reward=float(reward)).to_json())
        layers.append(described(stored.layout.root).artifact.layers)
    assert [one == other for one, other in zip(*layers, strict=True)] == [False, True, False, True, True, True]


def test_only_so_many_blobs_are_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "LAYERS_MAX", 2)
    sizes = {"a": 65_536, "b": 65_535, "c": 70_000, "d": 70_000, "e": 0}
    large, small = writing.split([Entry(name, size) for name, size in sizes.items()])
    assert [entry.name for entry in large] == ["c", "d"]
    assert [entry.name for entry in small] == ["a", "b", "e"]


def test_a_manifest_of_the_most_layers_is_one_that_registries_take(stored: RunFolder) -> None:
    facts = described(stored.layout.root).artifact.facts
    layers = [descriptors.Layer.blob(digest(str(n).encode()), 10**9) for n in range(writing.LAYERS_MAX)]
    assert len(descriptors.Artifact(facts, tuple(layers)).to_bytes()) < descriptors.MANIFEST_MAX / 4


@pytest.mark.parametrize("kind", ["attempts", "done", "judge", "scores", "observed", "blobs", "manifest.json"])
def test_a_damaged_run_is_refused_with_the_path(stored: RunFolder, tmp_path: Path, kind: str) -> None:
    place = stored.layout.root / kind
    path = place if place.is_file() else min(each for each in place.rglob("*") if each.is_file())
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(StoreCorruptError, match=path.name):
        archive(stored.layout.root, tmp_path / "a.tar")
    nothing_left(tmp_path, "run")


def test_a_blob_that_was_changed_after_it_was_verified_is_found(
    stored: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archiving, "verify", lambda run: [])
    path = stored.blobs.path(digest(bytes(70_000)))
    path.write_bytes(bytes(69_999) + b"\x01")
    with pytest.raises(StoreCorruptError, match=f"{path.name} was changed"):
        archive(stored.layout.root, tmp_path / "a.tar")
    nothing_left(tmp_path, "run")


@pytest.mark.parametrize("place", ["notes.txt", "attempts/1/stray.json", "blobs/sha256/x", "done/1/0.json/x"])
def test_a_file_that_does_not_belong_is_refused(stored: RunFolder, tmp_path: Path, place: str) -> None:
    path = stored.layout.root / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x")
    with pytest.raises(StoreCorruptError, match=f"{place} doesn't belong"):
        archive(stored.layout.root, tmp_path / "a.tar")


def test_a_link_in_a_run_is_refused(stored: RunFolder, tmp_path: Path) -> None:
    path = stored.blobs.path(digest(b"elsewhere"))
    (tmp_path / "elsewhere").write_bytes(b"elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreCorruptError, match="doesn't belong"):
        archive(stored.layout.root, tmp_path / "a.tar")


def test_the_same_archive_may_be_there_already(stored: RunFolder, packed: Path) -> None:
    before = packed.stat().st_ino
    assert not archive(stored.layout.root, packed).new
    assert packed.stat().st_ino == before
    nothing_left(packed.parent, "run", "packed.tar")


def test_another_file_is_never_replaced(stored: RunFolder, tmp_path: Path) -> None:
    for name, make in (("file", lambda path: path.write_bytes(b"mine")), ("folder", lambda path: path.mkdir())):
        target = tmp_path / name
        make(target)
        if target.is_dir():
            (target / "mine").write_bytes(b"mine")
        for folder in (False, True):
            with pytest.raises(UsageError, match="is there already"):
                archive(stored.layout.root, target, folder=folder)
    nothing_left(tmp_path, "run", "file", "folder")
    assert (tmp_path / "file").read_bytes() == (tmp_path / "folder/mine").read_bytes() == b"mine"


def test_no_archive_is_written_into_its_run(stored: RunFolder) -> None:
    for name in ("a.tar", "blobs/a.tar", "../run"):
        with pytest.raises(UsageError, match="is inside the run folder"):
            archive(stored.layout.root, stored.layout.root / name)


def test_a_folder_holds_the_same_layout(stored: RunFolder, packed: Path, tmp_path: Path) -> None:
    done = archive(stored.layout.root, tmp_path / "layout", folder=True)
    assert files_of(tmp_path / "layout") == outer(packed)
    assert done.new
    assert not archive(stored.layout.root, tmp_path / "layout", folder=True).new
    nothing_left(tmp_path, "run", "packed.tar", "layout")


def test_an_empty_folder_becomes_the_layout(stored: RunFolder, tmp_path: Path) -> None:
    (tmp_path / "layout").mkdir()
    assert archive(stored.layout.root, tmp_path / "layout", folder=True).new


def test_a_full_disk_leaves_nothing(stored: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("harness.store.atomic.sync_filesystem", full)
    with pytest.raises(NoSpaceError, match=r"a\.tar"):
        archive(stored.layout.root, tmp_path / "a.tar")
    nothing_left(tmp_path, "run")


def test_a_file_that_grows_meanwhile_is_noticed(stored: RunFolder) -> None:
    contents = Contents.of(stored)
    stored.grades.write_score(digest(b"the scorer"), "1", 0, Score(reward=0.25).to_json())
    with pytest.raises(HarnessError, match="was written anew"):
        writing.write(contents, sinks.NoSink())


def test_a_run_that_others_write_to_is_taken_as_it_was_listed(
    stored: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make_record: Callable[..., Any]
) -> None:
    """A rollout that comes after the listing is not in the archive, nor in what it says of itself."""
    contents = Contents.of(stored)
    stored.publish_done(stored.write_attempt(make_record(stored.blobs, task="2", steps=1)))
    assert writing.write(contents, sinks.NoSink()).artifact.facts.rollouts == 2
    assert described(stored.layout.root).artifact.facts.rollouts == 3


def test_where_a_check_is_overtaken_by_writers_that_is_said(
    stored: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make_record: Callable[..., Any]
) -> None:
    def overtaken(run: RunFolder) -> list[str]:
        run.write_attempt(make_record(run.blobs, task="2", steps=1))
        return ["a blob seems to be missing"]

    monkeypatch.setattr(archiving, "verify", overtaken)
    with pytest.raises(HarnessError, match="Somebody is writing") as raised:
        archive(stored.layout.root, tmp_path / "a.tar")
    assert raised.value.exit_status == 1


def test_memory_does_not_grow_with_the_run(run: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sha256 = hashlib.sha256()
    for _ in range(64):
        sha256.update(bytes(2**20))
    path = run.blobs.folder / sha256.hexdigest()
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.truncate(64 * 2**20)
    monkeypatch.setattr(archiving, "verify", lambda run: [])
    tracemalloc.start()
    archive(run.layout.root, tmp_path / "a.tar")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 2**20


def test_a_copy_by_another_way_is_the_same_run(stored: RunFolder, tmp_path: Path) -> None:
    shutil.copytree(stored.layout.root, tmp_path / "copy")
    assert described(tmp_path / "copy") == described(stored.layout.root)


@pytest.mark.parametrize("folder", [False, True])
@pytest.mark.parametrize("same", [False, True])
def test_of_two_that_come_at_once_none_replaces_the_other(
    stored: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: bool, same: bool
) -> None:
    """The other one's archive appears when this one has just looked."""
    target, root = tmp_path / "a", stored.layout.root
    real = archiving.is_there

    def overtaken(path: Path) -> bool:
        found = real(path)
        monkeypatch.setattr(archiving, "is_there", real)
        archive(root, target, folder=folder)
        if not same:
            (target / "oci-layout" if folder else target).write_bytes(b"other")
        return found

    monkeypatch.setattr(archiving, "is_there", overtaken)
    if same:
        assert not archive(root, target, folder=folder).new
    else:
        with pytest.raises(UsageError, match="is there already and holds something else"):
            archive(root, target, folder=folder)
        assert (target / "oci-layout" if folder else target).read_bytes() == b"other"
    nothing_left(tmp_path, "run", "a")


@pytest.mark.parametrize("taken", [False, True])
def test_without_hard_links_no_file_is_replaced_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, taken: bool
) -> None:
    def none(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", none)
    (tmp_path / "made").write_bytes(b"made")
    if taken:
        (tmp_path / "a").write_bytes(b"mine")
    assert unfinished.claim(tmp_path / "made", tmp_path / "a") != taken
    assert (tmp_path / "a").read_bytes() == (b"mine" if taken else b"made")


@pytest.mark.parametrize("where", ["blobs", "blobs/sha256", "attempts"])
def test_a_folder_that_is_a_link_is_refused(stored: RunFolder, tmp_path: Path, where: str) -> None:
    path = stored.layout.root / where
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreCorruptError, match=f"{path} doesn't belong"):
        archive(stored.layout.root, tmp_path / "a.tar")


def test_what_a_collector_takes_meanwhile_is_no_damage(stored: RunFolder) -> None:
    unnamed = stored.blobs.put(b"nothing names it")
    contents = Contents.of(stored)
    stored.blobs.path(unnamed).unlink()
    with pytest.raises(HarnessError, match=f"{unnamed} was taken away while the run was archived") as raised:
        writing.write(contents, sinks.NoSink())
    assert not isinstance(raised.value, StoreCorruptError)
