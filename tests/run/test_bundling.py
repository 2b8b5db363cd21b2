"""What is gathered for a bundle, with a store that is made up."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from harness.benchmarks.babyvision.data.importing import add
from harness.benchmarks.babyvision.data.installed import Place
from harness.errors import StoreCorruptError, UsageError
from harness.pins import flake, storepaths
from harness.pins.storepaths import StorePath
from harness.run import bundling
from tests.benchmarks.babyvision.synthetic import rows, write_parquet

HARNESS, SOURCE, FARM, SHARED = (f"/nix/store/{sign * 32}-x" for sign in "1234")
SIZES = {HARNESS: 100, SOURCE: 20, FARM: 3, SHARED: 1000}
REFERENCES = {HARNESS: (HARNESS, SHARED), SOURCE: (), FARM: (SHARED,), SHARED: ()}


@pytest.fixture(autouse=True)
def store(monkeypatch: pytest.MonkeyPatch) -> None:
    def closure(paths: Iterable[Path]) -> tuple[StorePath, ...]:
        asked = {str(path) for path in paths}
        found = sorted(asked | {one for path in asked for one in REFERENCES[path]})
        return tuple(StorePath(path, "0" * 64, SIZES[path], REFERENCES[path]) for path in found)

    monkeypatch.setattr(storepaths, "own", lambda: Path(HARNESS))
    monkeypatch.setattr(storepaths, "closure", closure)
    monkeypatch.setattr(flake, "source", lambda folder: Path(SOURCE))
    monkeypatch.setattr(flake, "package", lambda tree, name: Path({"harness": HARNESS}[name]))
    monkeypatch.setattr(flake, "build", lambda tree, name: Path({"pins": FARM}[name]))
    monkeypatch.setattr("os.fsync", lambda handle: None)


@pytest.fixture(scope="module")
def parquet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_parquet(tmp_path_factory.mktemp("data") / "made.parquet", rows({}))


def test_the_harness_and_its_source_go_into_it(tmp_path: Path) -> None:
    contents = bundling.gather(tmp_path, None, pins=False)
    assert (contents.harness, contents.source, contents.pins, contents.data) == (HARNESS, SOURCE, None, ())
    assert [path.path for path in contents.paths] == [HARNESS, SOURCE, SHARED]
    assert list(bundling.sizes(contents)) == [("harness and sandbox", 2, 1100), ("source", 1, 20)]


def test_pins_go_into_it_where_they_are_wanted(tmp_path: Path) -> None:
    contents = bundling.gather(tmp_path, None, pins=True)
    assert contents.pins == FARM
    assert list(bundling.sizes(contents))[2:] == [("pins", 1, 3)]
    assert sum(size for _, _, size in bundling.sizes(contents)) == contents.size


def test_the_source_of_another_harness_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flake, "package", lambda tree, name: Path(SHARED))
    with pytest.raises(UsageError, match="is the source of another harness"):
        bundling.gather(tmp_path, None, pins=False)


def test_a_data_set_comes_with_what_makes_it_visible_last(parquet: Path, tmp_path: Path) -> None:
    add(Place.of(tmp_path), parquet)
    (tmp_path / "babyvision/blobs/sha256" / ("0" * 64)).write_text("of no task")
    contents = bundling.gather(tmp_path, tmp_path, pins=False)
    names = [each.name for each in contents.data]
    assert names[-1] == "babyvision/parquet.json"
    assert names[:-1] == sorted(names[:-1])
    assert {(tmp_path / name).read_bytes() for name in names} == {each.path.read_bytes() for each in contents.data}
    assert len(names) == len(list((tmp_path / "babyvision").rglob("*"))) - 3  # two folders, and what is of no task
    assert list(bundling.sizes(contents))[-1] == ("data", len(names), sum(each.size for each in contents.data))


def test_no_data_and_damaged_data_are_refused(parquet: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No data is installed"):
        bundling.gather(tmp_path, tmp_path, pins=False)
    installed = add(Place.of(tmp_path), parquet)
    image = installed.place.blobs.path(next(iter(installed.data.puzzles.values())).image)
    image.chmod(0o644)
    image.write_bytes(b"rotten")
    with pytest.raises(StoreCorruptError, match="so no bundle is made"):
        bundling.gather(tmp_path, tmp_path, pins=False)
