"""Finding the very harness that made a run, and holding every byte of it against the record."""

from pathlib import Path
from typing import Any

import attrs
import pytest

from harness.errors import CheckFailedError, HarnessError, HostUnfitError, UsageError
from harness.pins import flake, nar, storepaths
from harness.run.reproduce import bundles, finding
from harness.run.reproduce.finding import Found, Means
from harness.store.digests import Digest
from harness.store.provenance import Part, Start

NAME = "0" * 32 + "-hermetic-harness"
NOTHING = Means()


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A harness in a folder that is taken for a store; none runs out of it."""
    monkeypatch.setattr(storepaths, "hash_part", lambda path: path)
    monkeypatch.setattr(storepaths, "top", lambda path: None)
    package = tmp_path / NAME
    (package / "bin").mkdir(parents=True)
    (package / "bin/harness").write_text("#!/bin/sh\n")
    return package


@pytest.fixture
def made(package: Path) -> Start:
    """A start of it."""
    return start(package, Part(str(package), Digest(nar.digest(package))))


def start(package: Path | None, *closure: Part, number: int = 1) -> Start:
    return Start(started_ns=number, harness=None if package is None else str(package), pins=None, closure=closure)


def find(made: Start | None, means: Means = NOTHING, folder: Path = Path("/nonexistent")) -> Found:
    return finding.find(made, means, folder, lambda line: None)


def test_the_last_known_start_counts() -> None:
    one, two, unknown = start(Path("/one"), number=1), start(Path("/two"), number=2), start(None, number=3)
    assert finding.maker([one, two, unknown]) == two
    assert finding.maker([unknown]) is None
    assert finding.maker([]) is None


def test_it_is_in_the_store(package: Path, made: Start) -> None:
    assert find(made) == Found(package, "store", (str(package / "bin/harness"),), 1)


def test_it_is_this_one(package: Path, made: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storepaths, "top", lambda path: package)
    found = find(made)
    assert (found.where, found.package, found.command[1:]) == ("this", package, ("-I", "-m", "harness.cli"))


def test_a_record_without_digests_proves_nothing(package: Path) -> None:
    assert find(start(package)).proven == 0


def test_one_other_byte_is_not_the_very_harness(package: Path, made: Start) -> None:
    (package / "bin/harness").write_text("#!/bin/sh \n")
    with pytest.raises(CheckFailedError, match=f"{NAME} is not what the run was made with"):
        find(made)


def test_what_it_needs_must_be_there_too(package: Path, made: Start) -> None:
    without = attrs.evolve(made, closure=(*made.closure, Part(str(package.with_name("gone")), Digest("a" * 64))))
    with pytest.raises(HostUnfitError, match=r"is not in this store.*--bundle FILE.*--source DIR.*--this-harness"):
        find(without)


def test_a_record_that_does_not_say_by_what(package: Path) -> None:
    for made in (None, start(None)):
        with pytest.raises(HostUnfitError, match=r"does not say which harness made the run.*--this-harness"):
            find(made)


def test_this_one_because_a_person_says_so(package: Path, made: Start) -> None:
    for each in (made, None):
        found = find(each, Means(this=True))
        assert (found.where, found.proven) == ("this", 0)


def test_a_record_can_not_name_just_any_program(package: Path) -> None:
    with pytest.raises(UsageError, match="which is the name of none"):
        find(start(package.with_name("0" * 32 + "-coreutils")))


def test_a_record_can_not_name_a_path_outside_of_the_store() -> None:
    with pytest.raises(HarnessError, match="is no store path"):
        find(start(Path("/tmp") / NAME))


@pytest.mark.parametrize("path", ["/", "/proc/kcore", "/nix/store/../../etc", "\0", "/nix/store/" + NAME + "/bin"])
def test_digests_of_what_is_no_store_path_are_not_looked_for(path: str) -> None:
    """Such a record could have the whole disk read, or a device."""
    harness = Path("/nix/store") / NAME
    with pytest.raises(HarnessError, match="is no store path"):
        find(start(harness, Part(str(harness), Digest("a" * 64)), Part(path, Digest("a" * 64))))


def test_digests_of_everything_but_the_harness_prove_nothing(package: Path) -> None:
    with pytest.raises(CheckFailedError, match=f"none of .*{NAME}, by which it says"):
        find(start(package, Part(str(package.with_name("other")), Digest("a" * 64))))


def test_each_store_path_is_hashed_once(made: Start) -> None:
    assert find(attrs.evolve(made, closure=made.closure * 100)).proven == 1


def test_out_of_a_bundle(package: Path, made: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moved = package.rename(tmp_path / "away")

    def install(bundle: Path, wanted: Path, folder: Path, say: Any) -> None:
        assert (bundle, wanted, folder) == (Path("b.tar"), package, tmp_path / "to")
        moved.rename(package)

    monkeypatch.setattr(bundles, "install", install)
    assert find(made, Means(bundle=Path("b.tar")), tmp_path / "to").where == "bundle"


def test_of_a_killed_copy_the_bundle_makes_a_whole_one(
    package: Path, made: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    (package / "bin/harness").write_text("#!")
    monkeypatch.setattr(bundles, "install", lambda *_: (package / "bin/harness").write_text("#!/bin/sh\n"))
    assert find(made, Means(bundle=Path("b.tar"))).where == "bundle"
    (package / "bin/harness").write_text("#!")
    monkeypatch.setattr(bundles, "install", lambda *_: None)
    with pytest.raises(CheckFailedError):
        find(made, Means(bundle=Path("b.tar")))


def test_built_from_its_source(package: Path, made: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moved = package.rename(tmp_path / "away")
    monkeypatch.setattr(flake, "source", lambda folder: folder)
    monkeypatch.setattr(flake, "package", lambda tree, name: package)
    monkeypatch.setattr(flake, "build", lambda tree, name: moved.rename(package))
    assert find(made, Means(source=tmp_path)).where == "source"


def test_the_source_of_another_one(package: Path, made: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package.rename(tmp_path / "away")
    monkeypatch.setattr(flake, "source", lambda folder: folder)
    monkeypatch.setattr(flake, "package", lambda tree, name: tmp_path / "other")
    with pytest.raises(UsageError, match=r"is the source of another harness.*Check out its commit"):
        find(made, Means(source=tmp_path))
