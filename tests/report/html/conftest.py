"""Runs that pages are made of."""

from pathlib import Path

import pytest

from tests.report.runs import Made, made


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.fsync", lambda handle: None)


@pytest.fixture
def run(tmp_path: Path) -> Made:
    return made(tmp_path / "R")
