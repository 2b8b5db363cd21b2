"""The export ``gym``: NeMo Gym's files of a run.

``STEM.jsonl`` has the rollouts that were measured, ``STEM_materialized_inputs.jsonl`` all that were tried,
``STEM_failures.jsonl`` each attempt that is no measurement, ``STEM_aggregate_metrics.json`` the figures, and
``STEM_token_entries.jsonl`` the calls with token ids, if there are any.
"""

import json
from pathlib import Path

import attrs

from harness.errors import UsageError
from harness.report import conversation
from harness.report.export import gymrows
from harness.report.export.aggregate import Measured, Tried, aggregate, numbers
from harness.report.export.entries import entries
from harness.report.export.files import Output, Outputs
from harness.report.export.lines import line, whole
from harness.report.export.pictures import Address
from harness.report.export.source import Attempt, Rollout, Source


def write(source: Source, path: Path, files: Outputs, address: Address) -> None:
    """Write the files beside ``path``, which is that of the measured rollouts; raises as the store does."""
    if path.suffix != ".jsonl":
        raise UsageError(f"NeMo Gym's files are named after one that ends in .jsonl; {path} does not.")
    writer = _Writer(
        source,
        address,
        results=files.begin(path),
        inputs=files.begin(path.with_name(f"{path.stem}_materialized_inputs.jsonl")),
        failures=files.begin(path.with_name(f"{path.stem}_failures.jsonl")),
        tokens=files.begin(path.with_name(f"{path.stem}_token_entries.jsonl")),
    )
    for rollout in source.rollouts():
        writer.add(rollout)
    if not writer.tokens.rows:
        files.discard(writer.tokens)
    metrics = aggregate(gymrows.agent(source), writer.measured, writer.tried)
    figures = files.begin(path.with_name(f"{path.stem}_aggregate_metrics.json"))
    figures.write((json.dumps(whole(metrics), ensure_ascii=False, allow_nan=False, indent=2) + "\n").encode())


@attrs.define
class _Writer:
    source: Source
    address: Address
    results: Output = attrs.field(kw_only=True)
    inputs: Output = attrs.field(kw_only=True)
    failures: Output = attrs.field(kw_only=True)
    tokens: Output = attrs.field(kw_only=True)
    measured: list[Measured] = attrs.field(factory=list, init=False)
    tried: dict[int, Tried] = attrs.field(factory=dict, init=False)

    def add(self, rollout: Rollout) -> None:
        """Write all rows of one rollout."""
        last = rollout.last
        before = self.tried.get(rollout.place, Tried(0, 0))
        masked = last is not None and rollout.reward is None
        self.tried[rollout.place] = Tried(before.planned + 1, before.masked + masked)
        if last is None:
            return
        given = gymrows.inputs(self.source, rollout, last, self.address)
        self.inputs.write(line(given))
        for attempt in rollout.attempts:
            if attempt.record.content.outcome.masked:
                row = self._row(rollout, attempt, given)
                self.failures.write(line({**row, **gymrows.failed(attempt)}))
        if rollout.counts and rollout.score:
            self._scored(rollout, rollout.counts, given)

    def _scored(self, rollout: Rollout, counts: Attempt, given: gymrows.Row) -> None:
        assert rollout.score is not None
        row = {**self._row(rollout, counts, given), **gymrows.scored(rollout.score, counts)}
        if rollout.reward is None:
            self.failures.write(line(row))
            return
        self.results.write(line(row))
        answer = rollout.score.extracted_answer
        self.measured.append(Measured(rollout.place, rollout.item.repeat, numbers(row), answer))

    def _row(self, rollout: Rollout, attempt: Attempt, given: gymrows.Row) -> gymrows.Row:
        """An attempt's row but for its reward; its token entries are written on the way."""
        with self.source.named(rollout, attempt):
            replay = self.source.replay(attempt)
            turns = conversation.turns(replay)
            tools = conversation.tools(replay)
        name = gymrows.rollout_id(rollout, attempt)
        for entry in entries(attempt.record, turns, name, self.source.run.manifest.model):
            self.tokens.write(line(entry))
        return {"_ng_rollout_id": name, **gymrows.result(self.source, attempt, given, turns, tools, self.address)}
