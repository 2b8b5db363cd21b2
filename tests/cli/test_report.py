"""``harness report`` on the command line."""

import json
from pathlib import Path

import pytest

from harness.cli.main import run
from harness.errors import EXIT_CHECK, EXIT_OK, EXIT_USAGE
from tests.report.runs import Made, made
from tests.schemas import check


@pytest.fixture
def a(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    monkeypatch.setattr("os.fsync", lambda handle: None)
    found = made(tmp_path / "R")
    found.answered("1", "7", 1.0)
    return found


def test_what_was_written_is_said(a: Made, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", a.path, "--json"]) == EXIT_OK
    out, err = capsys.readouterr()
    found = json.loads(out)
    check("report", found)
    assert (found["path"], found["rollouts"], found["images"], found["pages"]) == (f"{a.path}/report.html", 3, 1, 1)
    assert found["bytes"] == Path(a.path, "report.html").stat().st_size
    assert f"{a.path}/report.html: 3 rollouts, 1 image" in err


def test_the_object_of_a_folder_counts_all_its_files(
    a: Made, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["report", a.path, "--assets", str(tmp_path / "pages"), "--json"]) == EXIT_OK
    found = json.loads(capsys.readouterr().out)
    check("report", found)
    files = [path for path in (tmp_path / "pages").rglob("*") if path.is_file()]
    assert (found["pages"], found["bytes"]) == (2, sum(path.stat().st_size for path in files))


def test_a_run_with_a_report_verifies(a: Made) -> None:
    assert run(["report", a.path]) == EXIT_OK
    assert run(["verify", a.path]) == EXIT_OK


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["{run}/nothing"], "is no run folder"),
        (["{run}", "--out", "{run}/.."], "is a folder"),
        (["{run}", "--out", "{run}/page.html"], "is in the run folder"),
        (["{run}", "--assets", "{run}/.."], "holds other files"),
        (["{run}", "--scorer", "ffff"], "no scorer whose name begins with 'ffff'"),
        (["{run}", "--out", "x", "--assets", "y"], "give one of them"),
    ],
)
def test_what_is_asked_wrongly(a: Made, argv: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", *(text.format(run=a.path) for text in argv)]) == EXIT_USAGE
    assert words in capsys.readouterr().err


def test_damage(a: Made, capsys: pytest.CaptureFixture[str]) -> None:
    path = a.run.layout.attempt("1", 0, a.run.attempt_names("1", 0)[0])
    path.write_bytes(path.read_bytes()[:-1])
    assert run(["report", a.path]) == EXIT_CHECK
    assert str(path) in capsys.readouterr().err
    assert not Path(a.path, "report.html").exists()
