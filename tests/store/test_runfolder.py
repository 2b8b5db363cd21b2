"""The run folder: resume, attempts, what counts."""

import json
from collections.abc import Callable
from pathlib import Path

import attrs
import pytest

from harness.errors import HarnessError, NoSpaceError, StoreCorruptError, UsageError
from harness.gateway.settings import GatewaySettings
from harness.store import atomic, pack, reading
from harness.store.canonical import dumps
from harness.store.digests import Digest, digest
from harness.store.manifest import Manifest
from harness.store.record import AttemptRecord
from harness.store.references import Done
from harness.store.runfolder import RunFolder
from harness.store.sealed import seal

Make = Callable[..., AttemptRecord]


def test_a_folder_is_made_and_joined(tmp_path: Path, manifest: Manifest) -> None:
    path = tmp_path / "runs" / "one"
    first = RunFolder.create(path, manifest)
    assert RunFolder.create(path, manifest) == first == RunFolder.open(path)
    assert digest((path / "manifest.json").read_bytes()) == manifest.identity


def test_a_run_with_other_settings_is_refused_and_left_alone(run: RunFolder, manifest: Manifest) -> None:
    other = attrs.evolve(manifest, sampling={"temperature": 1})
    with pytest.raises(UsageError, match=r"sampling\.temperature: 0\.5 in the folder, 1 now"):
        RunFolder.create(run.layout.root, other)
    assert RunFolder.open(run.layout.root).manifest == manifest


def test_a_folder_of_something_else_is_refused(tmp_path: Path, manifest: Manifest) -> None:
    (tmp_path / "photo.jpg").write_bytes(b"")
    with pytest.raises(UsageError, match=r"holds 'photo\.jpg'"):
        RunFolder.create(tmp_path, manifest)
    with pytest.raises(UsageError, match=r"has no manifest\.json"):
        RunFolder.open(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["photo.jpg"]


def test_a_folder_that_a_killed_start_left_is_joined(tmp_path: Path, manifest: Manifest) -> None:
    (tmp_path / ".0123").write_bytes(b"half")
    (tmp_path / "blobs").mkdir()
    assert RunFolder.create(tmp_path, manifest).manifest == manifest


def test_a_damaged_manifest_is_named(run: RunFolder) -> None:
    run.layout.manifest.write_bytes(b"{}")
    with pytest.raises(StoreCorruptError, match=r"manifest\.json is damaged"):
        RunFolder.open(run.layout.root)


def test_an_attempt_comes_back(run: RunFolder, make_record: Make) -> None:
    record = make_record(run.blobs, task="a/b", repeat=3)
    ref = run.write_attempt(record)
    path = run.layout.attempt("a/b", 3, ref.name)
    assert digest(path.read_bytes()) == ref.sha256
    assert ref.content == record.content.digest
    assert run.read_attempt("a/b", 3, ref.name) == record
    assert run.attempts("a/b", 3) == [ref]
    assert run.attempts("a/b", 4) == []


def test_a_record_is_never_written_before_its_blobs(run: RunFolder, make_record: Make) -> None:
    record = make_record(run.blobs)
    run.blobs.path(record.content.prompt).unlink()
    with pytest.raises(HarnessError, match=f"blobs that were not kept: .*{record.content.prompt}"):
        run.write_attempt(record)
    assert run.attempts("1", 0) == []


def test_a_full_disk_leaves_no_attempt(run: RunFolder, make_record: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    record = make_record(run.blobs)

    def full(*_: object) -> None:
        raise NoSpaceError("full")

    monkeypatch.setattr(atomic, "write", full)
    with pytest.raises(NoSpaceError):
        run.write_attempt(record)
    assert run.attempts("1", 0) == []


def test_the_first_attempt_counts_and_all_are_kept(run: RunFolder, make_record: Make) -> None:
    refs = [run.write_attempt(make_record(run.blobs, run_id=name)) for name in ("a", "b")]
    assert run.done("1", 0) is None
    assert run.publish_done(refs[1])
    assert not run.publish_done(refs[0])
    assert run.publish_done(refs[1]), "publishing the same attempt again changes nothing"
    done = run.done("1", 0)
    assert done is not None
    assert (done.attempt, done.sha256, done.content) == (refs[1].name, refs[1].sha256, refs[1].content)
    assert len(run.attempts("1", 0)) == 2
    assert run.rollout(done).observed.host == "node-b"


def test_a_masked_attempt_is_kept_but_never_counts(run: RunFolder, make_record: Make) -> None:
    ref = run.write_attempt(make_record(run.blobs, masked=True))
    with pytest.raises(HarnessError, match="is masked"):
        run.publish_done(ref)
    assert run.done("1", 0) is None
    assert [attempt.masked for attempt in run.attempts("1", 0)] == [True]


def test_what_counts_is_listed_by_task_and_repeat(run: RunFolder, make_record: Make) -> None:
    for task, repeat in (("b", 0), ("a", 10), ("a", 2), ("", 0)):
        run.publish_done(run.write_attempt(make_record(run.blobs, task=task, repeat=repeat, steps=0)))
    (run.layout.dones / "a" / ".unfinished").write_bytes(b"")
    assert [(done.task, done.repeat) for done in run.dones()] == [("", 0), ("a", 2), ("a", 10), ("b", 0)]


def test_equal_runs_have_equal_content_digests(tmp_path: Path, manifest: Manifest, make_record: Make) -> None:
    found = []
    for name in ("a", "b"):
        run = RunFolder.create(tmp_path / name, manifest)
        tasks = ["1", "2"] if name == "a" else ["2", "1"]
        for task in tasks:
            run.publish_done(run.write_attempt(make_record(run.blobs, task=task, run_id=name)))
        run.write_attempt(make_record(run.blobs, masked=True))
        found.append(run.content_digest())
    assert found[0] == found[1]


def test_the_content_digest_is_that_of_a_sorted_list(run: RunFolder, make_record: Make) -> None:
    assert run.content_digest() == digest(b"[]")
    contents = []
    for task in ("2", "1"):
        ref = run.write_attempt(make_record(run.blobs, task=task))
        run.publish_done(ref)
        contents.append([task, 0, ref.content])
    assert run.content_digest() == digest(dumps(sorted(contents)))


def test_an_attempt_that_was_changed_later_does_not_count(run: RunFolder, make_record: Make) -> None:
    ref = run.write_attempt(make_record(run.blobs))
    run.publish_done(ref)
    done = run.done("1", 0)
    assert done is not None
    path = run.layout.attempt("1", 0, ref.name)
    path.write_bytes(make_record(run.blobs, run_id="other").to_bytes())
    with pytest.raises(StoreCorruptError, match=f"{ref.name}.json is damaged: .* named after other bytes"):
        run.rollout(done)
    with pytest.raises(StoreCorruptError, match=f"{ref.name}.json is not the attempt that was published"):
        run.published(done)


def test_a_record_that_is_no_record_any_more_is_named_by_its_digest(run: RunFolder, make_record: Make) -> None:
    ref = run.write_attempt(make_record(run.blobs))
    path = run.layout.attempt("1", 0, ref.name)
    path.write_bytes(path.read_bytes().replace(b"started_ns", b"ttarted_ns", 1))
    with pytest.raises(StoreCorruptError, match="named after other bytes"):
        run.read_attempt("1", 0, ref.name)


def test_a_file_in_done_that_says_another_content_is_named(run: RunFolder, make_record: Make) -> None:
    run.publish_done(run.write_attempt(make_record(run.blobs)))
    path = run.layout.done("1", 0)
    done = attrs.evolve(Done.from_bytes(path.read_bytes()), content=digest(b"another"))
    path.write_bytes(done.to_bytes())
    with pytest.raises(StoreCorruptError, match=f"{path} is damaged"):
        run.rollout(done)


def test_the_published_bytes_are_those_of_the_record(run: RunFolder, make_record: Make) -> None:
    record = make_record(run.blobs)
    run.publish_done(run.write_attempt(record))
    (done,) = run.dones()
    assert run.published(done) == record.to_bytes()


def test_what_counts_belongs_to_one_run(run: RunFolder, make_record: Make, tmp_path: Path, manifest: Manifest) -> None:
    run.publish_done(run.write_attempt(make_record(run.blobs)))
    other = RunFolder.create(tmp_path / "other", attrs.evolve(manifest, model="another"))
    atomic.write(other.layout.done("1", 0), run.layout.done("1", 0).read_bytes())
    with pytest.raises(StoreCorruptError, match=f"belongs to the run {run.identity}, but this is {other.identity}"):
        other.done("1", 0)


def test_the_task_set_is_kept_before_the_manifest(tmp_path: Path, manifest: Manifest) -> None:
    with pytest.raises(HarnessError, match="not the one that the manifest names"):
        RunFolder.create(tmp_path / "run", manifest, b"[1]")
    assert not (tmp_path / "run" / "manifest.json").exists()
    run = RunFolder.create(tmp_path / "run", manifest)
    assert not run.blobs.has(manifest.tasks)
    assert RunFolder.create(tmp_path / "run", manifest, b"[]").blobs.get(manifest.tasks) == b"[]"


@pytest.mark.parametrize("data", [b"", b"{}", b'{"torn":'])
def test_a_damaged_file_is_named(run: RunFolder, make_record: Make, data: bytes) -> None:
    ref = run.write_attempt(make_record(run.blobs))
    run.publish_done(ref)
    run.layout.attempt("1", 0, ref.name).write_bytes(data)
    run.layout.done("1", 0).write_bytes(data)
    with pytest.raises(StoreCorruptError, match=f"{ref.name}.json is damaged"):
        run.read_attempt("1", 0, ref.name)
    with pytest.raises(StoreCorruptError, match="done/1/0 is damaged"):
        run.done("1", 0)


def test_a_file_at_the_wrong_place_is_named(run: RunFolder, make_record: Make) -> None:
    ref = run.write_attempt(make_record(run.blobs))
    run.publish_done(ref)
    for source, target in (
        (run.layout.attempt("1", 0, ref.name), run.layout.attempt("2", 0, ref.name)),
        (run.layout.done("1", 0), run.layout.done("2", 0)),
    ):
        target.parent.mkdir(parents=True)
        target.write_bytes(source.read_bytes())
    with pytest.raises(StoreCorruptError, match="belongs to task '1'"):
        run.read_attempt("2", 0, ref.name)
    with pytest.raises(StoreCorruptError, match="belongs to task '1'"):
        run.done("2", 0)


def test_a_missing_attempt_is_named(run: RunFolder) -> None:
    with pytest.raises(StoreCorruptError, match=r"x\.json is missing"):
        run.read_attempt("1", 0, "x")


def test_what_counts_can_not_name_a_file_elsewhere(run: RunFolder) -> None:
    path = run.layout.done("1", 0)
    sha = Digest("0" * 64)
    about = {"manifest": run.identity, "content": sha, "repeat": 0, "task": "1"}
    atomic.write(path, seal({**about, "attempt": f"../x-{sha}"}))
    with pytest.raises(StoreCorruptError, match="is no name of an attempt"):
        run.done("1", 0)


def test_observations_do_not_replace_each_other(run: RunFolder) -> None:
    """In a PID namespace of its own the harness has the same process id in every run."""
    for _ in range(2):
        run.write_observed("node", 5, {"load": 0.5, "text": "\udcff"})
    assert len(list(run.layout.observed.iterdir())) == 2


def test_a_file_is_no_run_folder(tmp_path: Path, manifest: Manifest) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="is a file"):
        RunFolder.create(tmp_path / "file", manifest)


@pytest.mark.parametrize("sign", ["\0", '"', "\u20ac", "\ud800"])
def test_a_record_of_the_longest_answer_is_read_again(run: RunFolder, make_record: Make, sign: str) -> None:
    record = make_record(run.blobs, steps=1)
    in_json = len(json.dumps(sign, ensure_ascii=not sign.isprintable()).encode()) - 2
    answer = sign * (GatewaySettings().max_response // in_json)
    long = attrs.evolve(record, content=attrs.evolve(record.content, answer=answer))
    run.publish_done(run.write_attempt(long))
    done = run.done("1", 0)
    assert done is not None
    assert run.rollout(done) == long


def test_a_pack_that_can_not_be_compressed_is_read() -> None:
    assert reading.BLOB_MAX >= pack.UNPACKED_MAX
