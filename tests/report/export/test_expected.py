"""Whole exports of a run of every kind of rollout, held against files that were written by hand."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from harness.report.export.exporting import Wanted, export
from harness.store.digests import parse_digest
from harness.store.runfolder import RunFolder
from tests.report.export.runs import CROP_URL, PNG, every_kind

EXPECTED = Path(__file__).parent / "expected"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return every_kind(tmp_path_factory.mktemp("made") / "R")


def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("ending", ["", "_materialized_inputs", "_failures"])
def test_gyms_rows(run: RunFolder, tmp_path: Path, ending: str) -> None:
    export(run.layout.root, Wanted(form="gym", out=tmp_path / "gym.jsonl"))
    written = re.sub('"resp_[0-9a-f]{32}"', '"RESPONSE_ID"', text(tmp_path / f"gym{ending}.jsonl"))
    assert written == text(EXPECTED / f"gym{ending}.jsonl")


def test_a_responses_id_is_that_of_its_content(run: RunFolder, tmp_path: Path) -> None:
    export(run.layout.root, Wanted(form="gym", out=tmp_path / "gym.jsonl"))
    rows = [json.loads(line) for line in text(tmp_path / "gym.jsonl").splitlines()]
    done = run.done("7", 1)
    assert done is not None
    assert rows[1]["response"]["id"] == f"resp_{done.content[:32]}"


def test_gyms_figures(run: RunFolder, tmp_path: Path) -> None:
    export(run.layout.root, Wanted(form="gym", out=tmp_path / "gym.jsonl"))
    found = json.loads(text(tmp_path / "gym_aggregate_metrics.json"))
    expected = json.loads(text(EXPECTED / "gym_aggregate_metrics.json"))
    assert flat(found) == pytest.approx(flat(expected), rel=1e-12, abs=1e-12)
    assert list(flat(found)) == list(flat(expected))


def flat(value: Any, name: str = "") -> dict[str, Any]:
    """Every number of a value, by its place."""
    if isinstance(value, dict):
        return {place: item for key, inner in value.items() for place, item in flat(inner, f"{name}.{key}").items()}
    if isinstance(value, list):
        return {place: item for n, inner in enumerate(value) for place, item in flat(inner, f"{name}[{n}]").items()}
    return {name: value} if isinstance(value, int | float) else {f"{name}={value}": 0}


def test_there_are_no_token_entries_where_no_endpoint_gave_ids(run: RunFolder, tmp_path: Path) -> None:
    written: Any = export(run.layout.root, Wanted(form="gym", out=tmp_path / "gym.jsonl"))
    assert {path.name for path in tmp_path.iterdir()} == {
        "gym.jsonl",
        "gym_materialized_inputs.jsonl",
        "gym_failures.jsonl",
        "gym_aggregate_metrics.json",
    }
    assert [file["rows"] for file in written["files"]] == [3, 5, 3, 1]


def test_chats(run: RunFolder, tmp_path: Path) -> None:
    export(run.layout.root, Wanted(form="jsonl", out=tmp_path / "chats.jsonl"))
    written = text(tmp_path / "chats.jsonl")
    for key, sign in {
        "attempt": "ATTEMPT",
        "content_digest": "DIGEST",
        "host": "HOST",
        "manifest": "MANIFEST",
        "scorer": "SCORER",
        "judge_request": "REQUEST",
    }.items():
        written = re.sub(f'"{key}":"[^"]+"', f'"{key}":"{sign}"', written)
    assert written == text(EXPECTED / "chats.jsonl")


@pytest.mark.parametrize("form", ["gym", "jsonl"])
def test_images_by_digest_where_there_is_a_blob(run: RunFolder, tmp_path: Path, form: str) -> None:
    export(run.layout.root, Wanted(form=form, out=tmp_path / "x.jsonl", images="digest"))
    written = text(tmp_path / "x.jsonl")
    (name,) = set(re.findall('"sha256:([0-9a-f]{64})"', written))
    assert run.blobs.get(parse_digest(name)) == PNG
    assert set(re.findall('"(data:[^"]*)"', written)) == {CROP_URL}  # too small to have one
