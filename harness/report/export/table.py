"""The export ``parquet``: a table with one row for each planned rollout, the same bytes for the same run folder."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from harness.report import conversation
from harness.report.export.facts import facts
from harness.report.export.files import Outputs
from harness.report.export.lines import whole
from harness.report.export.source import Rollout, Source
from harness.store import atomic

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT: Final = 1

# Column -> its type; docs/export.md says what each holds.
COLUMNS: Final[Mapping[str, str]] = {
    "task": "text",
    "task_index": "int64",
    "repeat": "int64",
    "outcome": "text",
    "masked": "flag",
    "reward": "float64",
    "verdict": "text",
    "reason": "text",
    "extracted_answer": "text",
    "string_match": "flag",
    "judge_model": "text",
    "judge_request": "text",
    "judge_number": "int64",
    "failure_kind": "text",
    "failure_reason": "text",
    "question": "text",
    "gold": "text",
    "groups": "texts by name",
    "attempts": "int64",
    "attempt": "text",
    "content_digest": "text",
    "answer": "text",
    "finish_reason": "text",
    "flags": "texts",
    "started": "time",
    "played_seconds": "float64",
    "waited_seconds": "float64",
    "ended": "text",
    "exit_code": "int64",
    "peak_memory": "int64",
    "egress_allowed": "int64",
    "egress_denied": "int64",
    "egress_destinations": "int64",
    "host": "text",
    "calls": "int64",
    "chain_calls": "int64",
    "tool_calls": "counts by name",
    "input_tokens": "int64",
    "output_tokens": "int64",
    "reasoning_tokens": "int64",
    "cached_tokens": "int64",
}

_ROWS: Final = 1000  # of one row group, at the most
_BYTES: Final = 16 << 20  # of text that is held before a row group is written


def write(source: Source, path: Path, files: Outputs) -> None:
    """Write the table; raises as the store does."""
    import pyarrow.parquet as pq

    schema = _schema(source)
    output = files.begin(path)
    with atomic.explained(path), pq.ParquetWriter(output.file, schema, compression="zstd", version="2.6") as writer:
        for group in _groups(rows(source)):
            writer.write_table(_table(group, schema))
            output.rows += len(group)


def read(source: Source) -> "pa.Table":
    """The same table in memory; raises StoreCorruptError."""
    import pyarrow as pa

    schema = _schema(source)
    return pa.concat_tables([schema.empty_table(), *(_table(group, schema) for group in _groups(rows(source)))])


def rows(source: Source) -> Iterator[dict[str, Any]]:
    """Every row, in the order of the plan."""
    for rollout in source.rollouts():
        yield whole(_row(source, rollout))


def _row(source: Source, rollout: Rollout) -> dict[str, Any]:
    if rollout.last is None:
        return facts(source, rollout, ())
    with source.named(rollout, rollout.last):
        answers = conversation.answers(source.replay(rollout.last))
    return facts(source, rollout, answers)


def _groups(found: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Rows by the group: as many as fit, so that texts of megabytes don't come together in memory."""
    group: list[dict[str, Any]] = []
    size = 0
    for row in found:
        group.append(row)
        size += sum(len(value) for value in row.values() if isinstance(value, str))
        if len(group) >= _ROWS or size >= _BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group


def _table(group: list[dict[str, Any]], schema: "pa.Schema") -> "pa.Table":
    import pyarrow as pa

    return pa.Table.from_pylist([{**row, **_pairs(row)} for row in group], schema=schema)


def _pairs(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: list(row[name].items()) for name in ("groups", "tool_calls")}


def _schema(source: Source) -> "pa.Schema":
    import pyarrow as pa

    types = {
        "text": pa.string(),
        "flag": pa.bool_(),
        "int64": pa.int64(),
        "float64": pa.float64(),
        "time": pa.timestamp("us", tz="UTC"),
        "texts": pa.list_(pa.string()),
        "texts by name": pa.map_(pa.string(), pa.string()),
        "counts by name": pa.map_(pa.string(), pa.int64()),
    }
    manifest = source.run.manifest
    about = {
        "format": FORMAT,
        "benchmark": manifest.benchmark,
        "model": manifest.model,
        "manifest": manifest.identity,
        "scorer": source.scorer,
        "content_digest": source.run.content_digest(),
    }
    fields = [pa.field(name, types[kind]) for name, kind in COLUMNS.items()]
    return pa.schema(fields, metadata={"hermetic-harness": json.dumps(about, sort_keys=True)})
