"""All files of an export appear, or none is touched."""

from pathlib import Path

import pytest

from harness.errors import NoSpaceError, StoreCorruptError, UsageError
from harness.report.export.exporting import Wanted, export, place
from harness.report.export.files import Output, Outputs, outputs
from harness.store.archive.unfinished import is_leftover
from harness.store.runfolder import RunFolder
from tests.report.export.runs import every_kind


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    return every_kind(tmp_path / "R")


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("form", ["gym", "jsonl", "parquet"])
def test_damage_leaves_no_file(run: RunFolder, tmp_path: Path, form: str) -> None:
    (name,) = run.attempt_names("9", 0)
    path = run.layout.attempt("9", 0, name)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(StoreCorruptError, match=str(path)):
        export(run.layout.root, Wanted(form=form))
    assert contents(tmp_path) == {}
    assert not (tmp_path / "R" / "rollouts.parquet").exists()


@pytest.mark.parametrize("form", ["gym", "jsonl", "parquet"])
def test_damage_in_bodies_is_named_with_the_attempt(run: RunFolder, form: str) -> None:
    (name,) = run.attempt_names("8", 0)
    pack = run.read_attempt("8", 0, name).observed.pack
    assert pack is not None
    path = run.blobs.path(pack.blob)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(StoreCorruptError) as caught:
        export(run.layout.root, Wanted(form=form))
    assert str(run.layout.attempt("8", 0, name)) in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_damaged_score_is_named(run: RunFolder) -> None:
    path = next(run.layout.scores.glob("*/7/0.json"))
    path.write_bytes(path.read_bytes().replace(b"equivalent", b"equivalemt"))
    with pytest.raises(StoreCorruptError, match=str(path)):
        export(run.layout.root, Wanted(form="parquet"))


def test_the_same_again_is_no_trouble_and_anything_else_is(run: RunFolder, tmp_path: Path) -> None:
    wanted = Wanted(form="gym", out=tmp_path / "out" / "gym.jsonl")
    export(run.layout.root, wanted)
    before = contents(tmp_path / "out")
    export(run.layout.root, wanted)
    (tmp_path / "out" / "gym_failures.jsonl").write_text("somebody's own\n")
    (tmp_path / "out" / "gym.jsonl").unlink()
    with pytest.raises(UsageError, match=r"gym_failures\.jsonl is there and holds something else"):
        export(run.layout.root, wanted)
    assert not (tmp_path / "out" / "gym.jsonl").exists()
    assert (tmp_path / "out" / "gym_failures.jsonl").read_text() == "somebody's own\n"
    export(run.layout.root, Wanted(form="gym", out=tmp_path / "out" / "gym.jsonl", replace=True))
    assert contents(tmp_path / "out") == before


def test_the_table_in_the_run_folder_is_made_anew(run: RunFolder) -> None:
    path = place(run.layout.root, "parquet")
    path.write_bytes(b"an old one")
    export(run.layout.root, Wanted(form="parquet"))
    assert path.read_bytes().startswith(b"PAR1")


@pytest.mark.parametrize("form", ["gym", "jsonl"])
def test_nothing_else_gets_into_the_run_folder(run: RunFolder, form: str) -> None:
    with pytest.raises(UsageError, match="holds the run and nothing else"):
        export(run.layout.root, Wanted(form=form, out=run.layout.root / "out.jsonl"))


def test_a_folder_is_no_file(run: RunFolder, tmp_path: Path) -> None:
    (tmp_path / "there.jsonl").mkdir()
    with pytest.raises(UsageError, match=r"there\.jsonl is a folder"):
        export(run.layout.root, Wanted(form="jsonl", out=tmp_path / "there.jsonl"))


def test_gyms_files_end_in_jsonl(run: RunFolder, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"ends in \.jsonl"):
        export(run.layout.root, Wanted(form="gym", out=tmp_path / "gym.json"))


def test_where_exports_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert place(Path("a/R"), "gym") == Path("a/R.jsonl")
    assert place(Path("R"), "jsonl") == Path("R_chats.jsonl")
    assert place(Path("R"), "parquet") == Path("R/rollouts.parquet")
    monkeypatch.chdir(tmp_path)
    assert place(Path(), "gym") == tmp_path.resolve().with_name(f"{tmp_path.name}.jsonl")


def test_what_was_begun_is_gone_after_an_error(tmp_path: Path) -> None:
    def fail() -> None:
        with outputs(replace=False) as files:
            files.begin(tmp_path / "a").write(b"1\n")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("same", [False, True])
def test_a_file_that_another_makes_meanwhile_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, same: bool
) -> None:
    real = Outputs._held

    def overtaken(files: Outputs, output: Output) -> bool:
        found = real(files, output)
        if output.path.name == "b" and not output.path.exists():
            output.path.write_bytes(b"1\n" if same else b"another's\n")
        return found

    monkeypatch.setattr(Outputs, "_held", overtaken)

    def write() -> None:
        with outputs(replace=False) as files:
            for name in ("a", "b"):
                files.begin(tmp_path / name).write(b"1\n")

    if same:
        write()
        assert contents(tmp_path) == {"a": b"1\n", "b": b"1\n"}
    else:
        with pytest.raises(UsageError, match="b is there and holds something else"):
            write()
        assert contents(tmp_path) == {"b": b"another's\n"}


def test_what_a_killed_export_leaves_is_known_to_the_collector(tmp_path: Path) -> None:
    with outputs(replace=False) as files:
        output = files.begin(tmp_path / "x.jsonl")
        assert output.temporary.name.startswith(".x.jsonl.export-")
        assert is_leftover(output.temporary.name)


@pytest.mark.parametrize("damaged", [False, True])
def test_a_full_disk_is_told_of_the_file_and_leaves_nothing(tmp_path: Path, damaged: bool) -> None:
    def write() -> None:
        with outputs(replace=False) as files:
            output = files.begin(tmp_path / "x.jsonl")
            output.file.close()
            output.file = open("/dev/full", "wb")  # noqa: PTH123, SIM115 - it is closed with the others
            output.write(b"held back until the end\n")
            if damaged:
                raise StoreCorruptError("found while it was written")

    with pytest.raises(StoreCorruptError if damaged else NoSpaceError):
        write()
    assert contents(tmp_path) == {}
