"""``harness archive`` and ``harness import``: what they print, and their exit statuses."""

import json
from pathlib import Path

import pytest

from harness.cli.main import run
from harness.store.runfolder import RunFolder
from tests.schemas import check

Capture = pytest.CaptureFixture[str]


def test_a_run_goes_and_comes_back(small_run: Path, tmp_path: Path, capsys: Capture) -> None:
    file, back = str(tmp_path / "run.tar"), str(tmp_path / "back")
    assert run(["archive", str(small_run), file, "--json"]) == 0
    archived = check("archive", json.loads(capsys.readouterr().out))
    assert run(["import", file, back, "--json"]) == 0
    imported = check("import", json.loads(capsys.readouterr().out))
    folder = RunFolder.open(small_run)
    facts = {
        "archive": file,
        "benchmark": "demo",
        "content_digest": folder.content_digest(),
        "manifest": folder.manifest.identity,
        "model": "m",
        "new": True,
        "rollouts": 1,
    }
    assert facts.items() <= archived.items()
    assert facts.items() <= imported.items()
    assert (archived["run"], imported["run"]) == (str(small_run), back)
    assert archived["digest"] == imported["digest"]
    assert archived["digest"].startswith("sha256:")
    assert (archived["layers"], archived["bytes"] > 1024) == (3, True)


def test_a_second_time_it_is_said(small_run: Path, tmp_path: Path, capsys: Capture) -> None:
    file, back = str(tmp_path / "run.tar"), str(tmp_path / "back")
    for words in ("archived", "had been archived before"):
        assert run(["archive", str(small_run), file]) == 0
        assert capsys.readouterr().err.startswith(f"{file}: 1 rollouts {words}; sha256:")
    for words in ("imported and verified", "are there already: the very same run"):
        assert run(["import", file, back]) == 0
        assert capsys.readouterr().err == f"{back}: 1 rollouts {words}\n"


def test_a_slash_at_the_end_makes_a_folder(small_run: Path, tmp_path: Path, capsys: Capture) -> None:
    assert run(["archive", str(small_run), f"{tmp_path}/layout/"]) == 0
    assert (tmp_path / "layout/oci-layout").is_file()
    assert run(["import", f"{tmp_path}/layout/", str(tmp_path / "back")]) == 0


def test_exit_statuses(small_run: Path, tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "run.tar"
    assert run(["archive", str(tmp_path / "none"), str(file)]) == 2
    assert run(["archive", str(small_run), str(file)]) == 0
    assert run(["import", str(tmp_path / "none"), str(tmp_path / "back")]) == 2
    assert run(["import", str(file), str(tmp_path)]) == 2
    file.write_bytes(file.read_bytes()[:-1])
    assert run(["archive", str(small_run), str(file)]) == 2
    capsys.readouterr()
    assert run(["import", str(file), str(tmp_path / "back")]) == 5
    assert "run.tar is cut short" in capsys.readouterr().err
    (small_run / "manifest.json").write_bytes(b"{}")
    assert run(["archive", str(small_run), str(tmp_path / "other.tar")]) == 5
    assert not (tmp_path / "back").exists()
