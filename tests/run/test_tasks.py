"""Where a run's tasks come from."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import attrs
import pytest

from harness.benchmarks.babyvision.asking import INSTRUCTION, prompt
from harness.benchmarks.babyvision.data.importing import add
from harness.benchmarks.babyvision.data.installed import Place
from harness.benchmarks.babyvision.puzzle import Puzzle, task_set, task_set_digest
from harness.benchmarks.demo import puzzles
from harness.errors import StoreCorruptError, UsageError
from harness.run import tasks
from harness.run.settings.resolve import resolve
from harness.store.digests import digest
from harness.store.manifest import Manifest
from harness.store.record import AttemptRecord
from harness.store.runfolder import RunFolder
from tests.benchmarks.babyvision.synthetic import rows, write_parquet, write_zip
from tests.run.conftest import made_content, made_observed


@pytest.fixture(scope="module")
def parquet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_parquet(tmp_path_factory.mktemp("data") / "made.parquet", rows())


@pytest.fixture(scope="module")
def filled(parquet: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the data set installed; nobody changes it."""
    folder = tmp_path_factory.mktemp("filled")
    add(Place.of(folder), parquet)
    return folder


def benchmark(tmp_path: Path, name: str = "babyvision", **chosen: str) -> tasks.Benchmark:
    return tasks.benchmark(name, resolve({"data_dir": str(tmp_path / "data"), **chosen}, {}, {}), tmp_path)


def test_the_demo_is_written_as_a_parquet_and_loaded(tmp_path: Path) -> None:
    demo = benchmark(tmp_path, demo="true", demo_seed="7", demo_puzzles="5")
    drawn = puzzles.rows(7, 5)
    assert demo.ids == ("1", "2", "3", "4", "5")
    assert demo.digest == task_set_digest(map(Puzzle.of, drawn))
    assert [demo.task(name, 9).images[0].data for name in demo.ids] == [row.image for row in drawn]
    assert not (tmp_path / "data").exists()


def test_without_data_it_is_said_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"harness data fetch.*harness data add FILE.*--demo"):
        benchmark(tmp_path)


def test_the_installed_data_set_is_used(tmp_path: Path, filled: Path) -> None:
    assert len(benchmark(tmp_path, data_dir=str(filled)).ids) == 388


def test_a_file_that_the_settings_name_is_installed_first(
    tmp_path: Path, parquet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.fsync", lambda handle: None)
    first = benchmark(tmp_path, babyvision_parquet=str(parquet))
    assert benchmark(tmp_path).digest == first.digest


def test_another_file_than_the_installed_one_is_refused(tmp_path: Path, filled: Path) -> None:
    other = write_parquet(tmp_path / "other.parquet", rows({1000: "BMP"}))
    with pytest.raises(UsageError, match="another parquet than the one that was installed before"):
        benchmark(tmp_path, data_dir=str(filled), babyvision_parquet=str(other))


def test_a_zip_that_is_not_the_authors_is_refused(tmp_path: Path, filled: Path, parquet: Path) -> None:
    made = write_zip(tmp_path / "made.zip", rows()[:3])
    with pytest.raises(UsageError, match="is not the authors' ZIP"):
        benchmark(tmp_path, data_dir=str(filled), babyvision_zip=str(made), babyvision_parquet=str(parquet))


def test_damage_to_what_is_installed_ends_with_5(
    tmp_path: Path, parquet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.fsync", lambda handle: None)
    (origin,) = add(Place.of(tmp_path / "data"), parquet).origins
    Place.of(tmp_path / "data").blobs.path(origin.rows).write_bytes(b"[]")
    with pytest.raises(StoreCorruptError, match="rows of the installed data set"):
        benchmark(tmp_path)


def test_an_instruction_of_ones_own_is_put_before_the_question(tmp_path: Path, filled: Path) -> None:
    (tmp_path / "words.txt").write_text("Only look.")
    made = benchmark(tmp_path, data_dir=str(filled), instruction=str(tmp_path / "words.txt"))
    assert made.task("1000", 9).prompt.startswith("Only look.\n\nQuestion 0")


OWN = "Only look."


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], RunFolder]:
    """Makes a run of one puzzle whose manifest names one instruction, and whose prompt begins with another."""
    monkeypatch.setattr("os.fsync", lambda handle: None)
    (row,) = puzzles.rows(7, 1)
    puzzle = Puzzle.of(row)

    def make(named: str, asked: str) -> RunFolder:
        manifest = Manifest(
            benchmark="babyvision",
            tasks=task_set_digest([puzzle]),
            plan={"tasks": ["1"], "repeats": 1},
            prompts={"instruction": digest(named.encode())},
            **{name: {} for name in ("agent", "sampling", "budgets", "limits")},
            rootfs=digest(b""),
            model="m",
            date="Thu Jan 01 2026",
        )
        run = RunFolder.create(tmp_path / f"run-{digest((named + asked).encode())}", manifest, task_set([puzzle]))
        run.blobs.put(row.image)
        content = attrs.evolve(made_content(run), prompt=run.blobs.put(prompt(puzzle, asked).encode()))
        run.publish_done(run.write_attempt(AttemptRecord(content, made_observed())))
        return run

    return make


def again(run: RunFolder, tmp_path: Path, name: str = "babyvision", **given: str) -> str:
    """The instruction of a benchmark that is done again from a record."""
    return tasks.benchmark(name, resolve(given, {}, {}), tmp_path, run).instruction


def test_a_record_tells_its_instruction(recorded: Callable[[str, str], RunFolder], tmp_path: Path) -> None:
    run = recorded(OWN, OWN)
    assert again(run, tmp_path) == OWN
    (tmp_path / "words.txt").write_text("Guess.")
    assert again(run, tmp_path, instruction=str(tmp_path / "words.txt")) == "Guess."
    assert again(run, tmp_path, name="babyvision-question-only") == ""


def test_a_record_that_does_not_tell_it_leaves_the_usual_one(
    recorded: Callable[[str, str], RunFolder], tmp_path: Path
) -> None:
    for named, asked in ((OWN, "Something else."), (INSTRUCTION, INSTRUCTION)):
        assert again(recorded(named, asked), tmp_path) == INSTRUCTION


READ = """
import json, sys
from pathlib import Path
from harness.run import tasks
from harness.run.settings.resolve import resolve
made = tasks.benchmark("babyvision", resolve(json.loads(sys.argv[1]), {}, {}), Path(sys.argv[2]))
made.task(made.ids[0], 9)
print(json.dumps([len(made.ids), sorted(sys.modules)]))
"""


@pytest.mark.parametrize(("demo", "count"), [(False, 388), (True, 12)], ids=["installed", "demo"])
def test_a_run_keeps_readers_of_images_and_parquet_out_of_its_memory(
    filled: Path, tmp_path: Path, demo: bool, count: int
) -> None:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    chosen = {"demo": "true"} if demo else {"data_dir": str(filled)}
    said = subprocess.check_output([sys.executable, "-c", READ, json.dumps(chosen), str(tmp_path)], env=env)
    found, loaded = json.loads(said)
    assert found == count
    assert not {"pyarrow", "PIL", "numpy", "cv2", "httpx"} & set(loaded)
