"""``harness export`` on the command line."""

import json
from pathlib import Path

import pytest

from harness.cli.main import run
from harness.errors import EXIT_CHECK, EXIT_OK, EXIT_USAGE
from tests.report.export.runs import every_kind
from tests.report.forging import rewarded
from tests.schemas import check


@pytest.fixture
def made(tmp_path: Path) -> Path:
    return every_kind(tmp_path / "R").layout.root


def test_what_was_written_is_said(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["export", str(made), "--format", "gym", "--json"]) == EXIT_OK
    out, err = capsys.readouterr()
    written = check("export", json.loads(out))
    assert [(Path(file["path"]).name, file["rows"]) for file in written["files"]] == [
        ("R.jsonl", 3),
        ("R_materialized_inputs.jsonl", 5),
        ("R_failures.jsonl", 3),
        ("R_aggregate_metrics.json", 1),
    ]
    assert f"{made}.jsonl: 3 rows" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--format", "csv"], "csv"),
        ([], "--format"),
        (["--format", "gym", "--out", "x.json"], "ends in .jsonl"),
        (["--format", "gym", "--scorer", "ffff"], "ffff"),
    ],
)
def test_what_is_asked_wrongly(
    made: Path, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["export", str(made), *arguments]) == EXIT_USAGE
    assert words in capsys.readouterr().err


def test_no_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["export", str(tmp_path), "--format", "gym"]) == EXIT_USAGE
    assert "is no run folder" in capsys.readouterr().err


def test_damage(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = next((made / "attempts" / "7" / "1").iterdir())
    path.write_bytes(path.read_bytes()[:-1])
    assert run(["export", str(made), "--format", "parquet"]) == EXIT_CHECK
    assert str(path) in capsys.readouterr().err


@pytest.mark.parametrize("form", ["gym", "jsonl", "parquet"])
@pytest.mark.parametrize("reward", [b"2", b"-0.5", b"NaN", b"Infinity", b"1e308"])
def test_a_reward_that_is_none_is_damage(
    made: Path, form: str, reward: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    path = next(made.glob("scores/*/7/0.json"))
    path.write_bytes(rewarded(path.read_bytes(), reward))
    assert run(["export", str(made), "--format", form]) == EXIT_CHECK
    assert f"{path} is damaged" in capsys.readouterr().err
