"""``harness data``: what it prints, and its exit statuses."""

import json
import os
from pathlib import Path

import pytest

from harness.cli.main import run
from harness.store.digests import file_digest
from tests.benchmarks.babyvision.synthetic import rows, write_parquet, write_zip
from tests.schemas import check


@pytest.fixture(scope="module")
def parquet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_parquet(tmp_path_factory.mktemp("data") / "made.parquet", rows({1000: "BMP"}))


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARNESS_DATA_DIR", str(tmp_path))
    monkeypatch.setattr("os.fsync", lambda handle: None)
    for name in ("BABYVISION_ZIP", "BABYVISION_PARQUET"):
        monkeypatch.delenv(name, raising=False)


def test_what_is_installed_is_shown(parquet: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["data", "add", str(parquet), "--json"]) == 0
    added = check("data", json.loads(capsys.readouterr().out))
    assert run(["data", "status", "--json"]) == 0
    assert check("data-status", json.loads(capsys.readouterr().out)) == added
    assert (added["tasks"], added["folder"]) == (388, str(tmp_path / "babyvision"))
    assert [origin["sha256"] for origin in added["origins"]] == [file_digest(parquet)]
    assert [(item["task"], item["format"]) for item in added["converted"]] == [(1000, "BMP")]
    assert run(["data", "status"]) == 0
    lines = capsys.readouterr().out
    for part in (file_digest(parquet), added["task_set"], "388", "1 images to PNG", "task 1000 from BMP"):
        assert part in lines


def test_a_file_is_checked_without_installing_it(
    parquet: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["data", "check", str(parquet), "--json"]) == 0
    assert check("data-check-file", json.loads(capsys.readouterr().out))["tasks"] == 388
    assert list(tmp_path.iterdir()) == []


def test_without_data_status_says_so_and_check_ends_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["data", "status"]) == 0
    assert "No data is installed" in capsys.readouterr().out
    assert run(["data", "check"]) == 2
    assert "harness data add FILE" in capsys.readouterr().err


def test_damage_is_named_and_ends_with_5(parquet: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["data", "add", str(parquet)]) == 0
    capsys.readouterr()
    assert run(["data", "check", "--json"]) == 0
    assert check("data-check", json.loads(capsys.readouterr().out))["problems"] == []
    record = json.loads((tmp_path / "babyvision/parquet.json").read_bytes())
    blob = next(path for path in (tmp_path / "babyvision/blobs/sha256").iterdir() if path.name != record["rows"])
    blob.write_bytes(b"!")
    capsys.readouterr()
    assert run(["data", "check"]) == 5
    assert blob.name in capsys.readouterr().err
    assert run(["data", "add", str(parquet)]) == 0
    assert run(["data", "check"]) == 0
    (tmp_path / "babyvision/parquet.json").write_bytes(b"{}")
    for command in ("status", "check"):
        assert run(["data", command]) == 5
    assert "parquet.json is damaged" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["add", "check"])
def test_a_file_that_is_not_the_data_ends_with_2(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = write_zip(tmp_path / "made.zip", rows()[:3])
    assert run(["data", command, str(made)]) == 2
    assert "is not the authors' ZIP" in capsys.readouterr().err


def test_without_a_file_those_of_the_environment_are_added(
    parquet: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["data", "add"]) == 2
    assert "BABYVISION_ZIP" in capsys.readouterr().err
    monkeypatch.setenv("BABYVISION_PARQUET", str(parquet))
    assert run(["data", "add"]) == 0
    assert file_digest(parquet) in capsys.readouterr().out


@pytest.mark.parametrize("kind", ["pipe", "folder", "missing"])
def test_what_is_no_plain_file_is_refused_at_once(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / kind
    {"pipe": os.mkfifo, "folder": os.mkdir, "missing": lambda _: None}[kind](path)
    assert run(["data", "add", str(path)]) == 2
    assert str(path) in capsys.readouterr().err


def test_a_file_that_may_not_be_read_is_said_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def closed(*_: object, **__: object) -> int:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "closed.zip").touch()
    with monkeypatch.context() as patch:
        patch.setattr("os.access", lambda *_, **__: False)
        patch.setattr("os.open", closed)
        assert run(["data", "add", str(tmp_path / "closed.zip")]) == 2
    assert "may not read the data file" in (said := capsys.readouterr().err)
    assert "BABYVISION_ZIP" in said


def test_a_data_folder_that_is_none_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["data", "status", "--data-dir", "/dev/null"]) == 2
    assert "The data folder /dev/null/babyvision can't be read" in capsys.readouterr().err
