"""The list of benchmarks and the state of their data."""

import json
from pathlib import Path

import pytest

from harness.benchmarks.babyvision.names import NAMES
from harness.cli.main import run
from tests.schemas import check


def test_each_is_listed_with_what_to_do_for_its_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["benchmarks", "--data-dir", str(tmp_path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    check("benchmarks", found)
    assert [one["name"] for one in found["benchmarks"]] == list(NAMES)
    for one in found["benchmarks"]:
        assert one["data"] == {
            "folder": str(tmp_path / "babyvision"),
            "tasks": 0,
            "advice": "harness data fetch, or: harness data add FILE",
        }


def test_damaged_data_is_said_and_ends_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "babyvision").mkdir()
    (tmp_path / "babyvision" / "zip.json").write_text("{")
    assert run(["benchmarks", "--data-dir", str(tmp_path)]) == 0
    assert "is damaged" in capsys.readouterr().out
