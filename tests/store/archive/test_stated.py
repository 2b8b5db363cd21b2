"""What an archive states of its run: it is true of the archive's own bytes, and goes when the run changes."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.errors import StoreCorruptError, UsageError
from harness.store import leftovers
from harness.store.archive import descriptors
from harness.store.archive.archiving import archive, listed
from harness.store.archive.importing import import_archive
from harness.store.archive.sinks import TarSink
from harness.store.archive.writing import write
from harness.store.digests import digest
from harness.store.runfolder import RunFolder
from harness.store.score import Score
from harness.store.verify import verify
from tests.store.archive.conftest import Forged, files_of, nothing_left, outer
from tests.store.whole import CALL

NODE = "/nix/store/" + "0" * 32
BUILT = {"path": f"{NODE}-hermetic-harness", "nar_sha256": "a" * 64}
BELOW = {"path": f"{NODE}-sandbox-rootfs", "nar_sha256": "b" * 64}


def start(run: RunFolder, number: int, **more: Any) -> None:
    run.write_observed("node", number, {"kind": "start", "started_ns": str(number), **more})


@pytest.fixture
def played(stored: RunFolder) -> RunFolder:
    """A run of three starts: of one harness twice, and of an old one, which only named the folder of its modules."""
    now = {"build": BUILT["path"], "pins_sha256": "c" * 64, "closure": [BELOW, BUILT]}
    for number in (3, 2):
        start(stored, number, **now)
    start(stored, 1, package=f"{NODE}-old-harness/lib/harness", pins_sha256="d" * 64)
    return stored


@pytest.fixture
def old(stored: RunFolder, tmp_path: Path) -> Path:
    """An archive as the first version wrote it."""
    with (tmp_path / "old.tar").open("xb") as file:
        write(listed(stored.layout.root), TarSink.begin(file), stated=False)
    return tmp_path / "old.tar"


@pytest.fixture
def back(packed: Path, tmp_path: Path) -> RunFolder:
    """The run folder of the archive."""
    import_archive(packed, tmp_path / "back")
    return RunFolder.open(tmp_path / "back")


def test_it_says_what_was_run_and_what_came_of_it(played: RunFolder, tmp_path: Path) -> None:
    archive(played.layout.root, tmp_path / "a.tar")
    data = Forged.of(tmp_path / "a.tar").layers["provenance.json"]
    found = json.loads(data)
    files = files_of(played.layout.root)
    assert {each["name"]: each["digest"]["sha256"] for each in found["subject"]} == {
        name: hashlib.sha256(file).hexdigest() for name, file in files.items() if not name.startswith("blobs/")
    }
    assert found["_type"], found["predicateType"] == (
        "https://in-toto.io/Statement/v1",
        "https://slsa.dev/provenance/v1",
    )
    definition = found["predicate"]["buildDefinition"]
    assert definition["externalParameters"] == {"benchmark": "demo", "model": "vlm", "manifest": played.identity}
    assert definition["internalParameters"] == {"harness": [BUILT["path"], f"{NODE}-old-harness"]}
    assert definition["resolvedDependencies"] == [
        {"name": BUILT["path"], "digest": {"narSha256": "a" * 64}},
        {"name": BELOW["path"], "digest": {"narSha256": "b" * 64}},
        {"name": "pins", "digest": {"sha256": "c" * 64}},
        {"name": "pins", "digest": {"sha256": "d" * 64}},
        {"name": "rootfs", "digest": {"sha256": played.manifest.rootfs}},
        {"name": "scorer", "digest": {"sha256": digest(b"the scorer")}},
        {"name": "tasks", "digest": {"sha256": played.manifest.tasks}},
    ]
    content = {"name": "content", "digest": {"sha256": played.content_digest()}}
    assert found["predicate"]["runDetails"]["byproducts"] == [content]
    assert data == json.dumps(found, separators=(",", ":"), sort_keys=True).encode()


@pytest.mark.parametrize("wrong", [{"closure": [{"path": 1}]}, {"pins_sha256": "x"}, {"build": []}, {"package": 7}])
def test_a_start_of_another_form_is_damage(stored: RunFolder, tmp_path: Path, wrong: dict[str, Any]) -> None:
    start(stored, 1, **wrong)
    with pytest.raises(StoreCorruptError, match="observed/node-"):
        archive(stored.layout.root, tmp_path / "a.tar")
    nothing_left(tmp_path, "run")


def test_it_comes_back_with_the_run_and_verify_checks_it(packed: Path, back: RunFolder) -> None:
    assert back.layout.provenance.read_bytes() == Forged.of(packed).layers["provenance.json"]
    assert verify(back) == []


def test_what_is_not_true_is_a_problem(back: RunFolder) -> None:
    path = back.layout.provenance
    path.write_bytes(path.read_bytes().replace(b"records", b"record", 1).replace(b'"vlm"', b'"vln"', 1))
    assert [str(path) in problem and "is not true of this run" in problem for problem in verify(back)] == [True]


def test_a_file_that_was_taken_away_makes_it_untrue(back: RunFolder) -> None:
    next(back.layout.observed.iterdir()).unlink()
    (problem,) = verify(back)
    assert "provenance.json is not true of this run" in problem


CHANGES: dict[str, Callable[[RunFolder], object]] = {
    "an observation": lambda run: run.write_observed("node", 9, {"load": 1}),
    "a score": lambda run: run.grades.write_score(digest(b"the scorer"), "1", 0, Score(reward=0.0).to_json()),
    "many scores": lambda run: run.grades.write_scores(digest(b"the scorer"), [("1", 0, b"x")]),
    "a judge's call": lambda run: run.grades.write_judge({"model": "judge", "messages": []}, CALL),
    "old scores that go": lambda run: leftovers.remove(run, leftovers.find(run, 1e12, counts=digest(b"")), 1e12),
}


@pytest.mark.parametrize("change", CHANGES)
def test_whoever_changes_the_run_takes_it_away(back: RunFolder, change: str) -> None:
    CHANGES[change](back)
    assert not back.layout.provenance.exists()


def test_an_attempt_takes_it_away_as_well(back: RunFolder, make_record: Callable[..., Any]) -> None:
    ref = back.write_attempt(make_record(back.blobs, task="3", steps=1))
    assert not back.layout.provenance.exists()
    back.layout.provenance.write_bytes(b"{}")
    back.publish_done(ref)
    assert not back.layout.provenance.exists()


def test_an_archive_that_states_what_is_not_so_is_refused(forged: Forged, tmp_path: Path) -> None:
    data = forged.layers["provenance.json"]
    forged.layers["provenance.json"] = data.replace(b'"vlm"', b'"vln"')
    with pytest.raises(StoreCorruptError, match=r"forged\.tar holds a damaged run:\nprovenance\.json is not true"):
        import_archive(forged.write(tmp_path / "forged.tar"), tmp_path / "target")
    nothing_left(tmp_path, "run", "packed.tar", "forged.tar")


def test_a_statement_without_an_end_is_not_read(
    forged: Forged, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.store.archive.unpacking._MOST", {descriptors.STATEMENT: 10, descriptors.BLOB: 1 << 20})
    with pytest.raises(StoreCorruptError, match=r"no provenance\.json of a run has so many"):
        import_archive(forged.write(tmp_path / "forged.tar"), tmp_path / "target")


def test_an_archive_of_the_first_version_is_still_read(stored: RunFolder, old: Path, tmp_path: Path) -> None:
    assert b"vnd.hermetic-harness.run.v1" in outer(old)["index.json"]
    done = import_archive(old, tmp_path / "back")
    assert done.new
    assert files_of(tmp_path / "back") == files_of(stored.layout.root)
    assert not (tmp_path / "back/provenance.json").exists()
    assert not import_archive(old, tmp_path / "back").new
    assert not import_archive(old, stored.layout.root).new


def test_both_versions_of_one_run_give_the_same_folder(old: Path, back: RunFolder) -> None:
    assert not import_archive(old, back.layout.root).new
    assert back.layout.provenance.exists()


def test_the_first_version_has_no_statement_and_the_second_one_has(forged: Forged, tmp_path: Path) -> None:
    forged.manifest["artifactType"] = descriptors.ARTIFACT_V1
    with pytest.raises(StoreCorruptError, match="not as this version of the harness writes it"):
        import_archive(forged.write(tmp_path / "forged.tar"), tmp_path / "target")
    forged.manifest["artifactType"] = descriptors.ARTIFACT
    del forged.manifest["layers"][2], forged.layers["provenance.json"]
    with pytest.raises(StoreCorruptError, match="not as this version of the harness writes it"):
        import_archive(forged.write(tmp_path / "forged.tar"), tmp_path / "target")


def test_an_old_archive_is_not_replaced_by_a_new_one(stored: RunFolder, old: Path) -> None:
    with pytest.raises(UsageError, match="is there already and holds something else"):
        archive(stored.layout.root, old)
