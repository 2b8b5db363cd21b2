"""The parquet table: typed columns, one row for each planned rollout, the same bytes each time."""

import datetime
import json
import shutil
from pathlib import Path
from typing import Any

import attrs
import pyarrow.parquet as pq
import pytest

from harness.report.export import table
from harness.report.export.exporting import Wanted, export
from harness.report.export.table import COLUMNS
from harness.run.plan import Item
from harness.run.results import kept
from harness.run.scorers import benchmark_of
from harness.store.runfolder import RunFolder
from tests.report.export.runs import SCORER, Writer, answered, every_kind, parquet_rows

START = datetime.datetime(2026, 9, 21, 14, 13, 20, tzinfo=datetime.UTC)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    made = every_kind(tmp_path_factory.mktemp("made") / "R")
    export(made.layout.root, Wanted(form="parquet"))
    return made


@pytest.fixture
def rows(run: RunFolder) -> list[dict[str, Any]]:
    return parquet_rows(run.layout.root / "rollouts.parquet")


def test_a_row_for_each_planned_rollout(rows: list[dict[str, Any]]) -> None:
    assert [(row["task"], row["repeat"], row["outcome"], row["masked"], row["reward"]) for row in rows] == [
        ("7", 0, "answered", False, 1.0),
        ("7", 1, "answered", False, 0.0),
        ("8", 0, "task-timeout", False, 0.0),
        ("8", 1, "judge_failed", True, None),
        ("9", 0, "upstream-stalled", True, None),
        ("9", 1, "unfinished", True, None),
    ]


def test_what_stands_in_a_row(run: RunFolder, rows: list[dict[str, Any]]) -> None:
    done = run.done("7", 1)
    assert done is not None
    assert rows[1] == {
        "task": "7",
        "task_index": 0,
        "repeat": 1,
        "outcome": "answered",
        "masked": False,
        "reward": 0.0,
        "verdict": "different",
        "reason": "Not 3.",
        "extracted_answer": "4",
        "string_match": False,
        "judge_model": "gpt-4o-mini",
        "judge_request": "e30bf83920b47eef344304e7b573cf4a0ed963e0e81c3322d999f57da0664d08",
        "judge_number": 0,
        "failure_kind": None,
        "failure_reason": None,
        "question": "How many?",
        "gold": "3",
        "groups": [("type", "Counting"), ("subtype", "Dots")],
        "attempts": 1,
        "attempt": done.attempt,
        "content_digest": done.content,
        "answer": "\\boxed{4}",
        "finish_reason": "stop",
        "flags": ["system-prompt-differs"],
        "started": int(START.timestamp()) * 1_000_000,
        "played_seconds": 5.0,
        "waited_seconds": 2.0,
        "ended": None,
        "exit_code": None,
        "peak_memory": None,
        "egress_allowed": None,
        "egress_denied": None,
        "egress_destinations": None,
        "host": rows[0]["host"],
        "calls": 2,
        "chain_calls": 2,
        "tool_calls": [("bash", 1)],
        "input_tokens": 200,
        "output_tokens": 14,
        "reasoning_tokens": 6,
        "cached_tokens": 128,
    }


def test_why_there_is_no_measurement(rows: list[dict[str, Any]]) -> None:
    assert [(row["failure_kind"], row["failure_reason"], row["attempts"]) for row in rows[2:]] == [
        ("agent_timeout", "Still at work after 1800 s.", 1),
        ("judge_failed", "The judge's endpoint answered HTTP 500.", 1),
        ("transport_timeout", "The endpoint answered nothing.", 1),
        (None, None, 0),
    ]
    assert rows[0]["attempts"] == 2


def test_outcomes_and_rewards_are_those_of_the_results(run: RunFolder, rows: list[dict[str, Any]]) -> None:
    tasks = benchmark_of(run)
    for row in rows:
        result = kept(run, tasks, SCORER, Item(row["task"], row["repeat"]))
        found = {"outcome": result.outcome, "reward": result.reward, "attempts": result.attempts}
        assert {name: row[name] for name in found} == found
        assert row["waited_seconds"] in (None, result.waited_ns / 1e9)


def test_it_says_of_which_run_it_is(run: RunFolder) -> None:
    schema = pq.read_schema(run.layout.root / "rollouts.parquet")
    assert schema.names == list(COLUMNS)
    assert json.loads(schema.metadata[b"hermetic-harness"]) == {
        "format": 1,
        "benchmark": "babyvision",
        "model": "real-name",
        "manifest": run.identity,
        "scorer": SCORER,
        "content_digest": run.content_digest(),
    }


def test_a_copy_gives_the_same_bytes(run: RunFolder, tmp_path: Path) -> None:
    shutil.copytree(run.layout.root, tmp_path / "copy")
    (tmp_path / "copy" / "rollouts.parquet").unlink()
    export(tmp_path / "copy", Wanted(form="parquet"))
    assert (tmp_path / "copy" / "rollouts.parquet").read_bytes() == (run.layout.root / "rollouts.parquet").read_bytes()


def test_large_texts_make_small_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "_BYTES", 150_000)
    made = Writer(tmp_path / "R", ("7",), 3)
    for repeat in range(3):
        made.attempt("7", repeat, answered("x" * 100_000))
    export(made.run.layout.root, Wanted(form="parquet"))
    file = pq.ParquetFile(tmp_path / "R" / "rollouts.parquet")
    assert [file.metadata.row_group(n).num_rows for n in range(file.num_row_groups)] == [2, 1]
    assert file.read(columns=["outcome"]).to_pylist() == [{"outcome": "not-graded"}] * 3


def test_the_largest_number_of_a_record_fits(tmp_path: Path) -> None:
    made = Writer(tmp_path / "R", ("7",), 1)
    made.attempt("7", 0, answered("x"))
    (name,) = made.run.attempt_names("7", 0)
    record = made.run.read_attempt("7", 0, name)
    made.run.layout.done("7", 0).unlink()
    made.run.layout.attempt("7", 0, name).unlink()
    changed = attrs.evolve(record, observed=attrs.evolve(record.observed, exit_code=2**53 - 1))
    made.run.publish_done(made.run.write_attempt(changed))
    export(made.run.layout.root, Wanted(form="parquet"))
    file = pq.read_table(tmp_path / "R" / "rollouts.parquet")
    assert file.column("exit_code").to_pylist() == [2**53 - 1]
    assert not [field.name for field in file.schema if str(field.type) == "int32"]
