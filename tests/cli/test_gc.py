"""``harness gc``: what it prints, its exit statuses, and that it deletes only when told to."""

import json
from pathlib import Path

import pytest

from harness.cli.main import run
from tests.schemas import check
from tests.store.aging import TEMPORARY_NAME, age


@pytest.fixture
def left(small_run: Path) -> Path:
    """A run folder with a file of three bytes that can go."""
    (small_run / TEMPORARY_NAME).write_bytes(b"abc")
    age(small_run)
    return small_run


def test_it_only_says_what_it_would_do(left: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["gc", str(left)]) == 0
    out = capsys.readouterr().out
    assert f"3 bytes  temporary file  {left}/{TEMPORARY_NAME}" in out
    assert out.endswith("1 leftovers, 3 bytes: to delete them, add --delete\n")
    assert (left / TEMPORARY_NAME).exists()


def test_it_deletes_when_told_to(left: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["gc", str(left), "--delete", "--json"]) == 0
    assert check("gc", json.loads(capsys.readouterr().out)) == {
        "deleted": True,
        "bytes": 3,
        "leftovers": [{"path": f"{left}/{TEMPORARY_NAME}", "kind": "temporary file", "bytes": 3}],
        "notes": [],
    }
    assert not (left / TEMPORARY_NAME).exists()
    assert run(["gc", str(left)]) == 0
    assert capsys.readouterr().out == "nothing is left over\n"
    assert run(["verify", str(left)]) == 0


def test_the_floor_is_in_hours(left: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["gc", str(left), "--older-than", "72"]) == 0
    assert capsys.readouterr().out == "nothing is left over\n"


@pytest.mark.parametrize("hours", ["nan", "inf", "-inf", "-1"])
def test_an_age_that_is_none_is_refused(left: Path, hours: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["gc", str(left), "--older-than", hours, "--delete"]) == 2
    assert "--older-than" in capsys.readouterr().err
    assert (left / TEMPORARY_NAME).exists()


def test_a_run_with_a_link_loses_nothing(left: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (left / "attempts").rename(tmp_path / "elsewhere")
    (left / "attempts").symlink_to(tmp_path / "elsewhere")
    before = sorted(tmp_path.rglob("*"))
    assert run(["gc", str(left), "--delete"]) == 5
    assert f"{left}/attempts is a symbolic link" in capsys.readouterr().err
    assert sorted(tmp_path.rglob("*")) == before


def test_where_one_run_is_none_nothing_goes(left: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["gc", str(left), str(tmp_path / "nowhere"), "--delete"]) == 2
    assert (left / TEMPORARY_NAME).exists()
    assert "no run folder" in capsys.readouterr().err


def test_nobody_knows_which_scores_are_old_where_no_scorer_is_named(
    left: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["gc", str(left), "--old-scores"]) == 2
    assert "says which scorer grades it" in capsys.readouterr().err


def test_without_a_run_it_looks_at_the_account(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARNESS_STATE_DIR", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert run(["gc"]) == 0
    assert capsys.readouterr().out == "nothing is left over\n"
