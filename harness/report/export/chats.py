"""The export ``jsonl``: one line for each planned rollout, its conversation as chat messages."""

from pathlib import Path
from typing import Any

from harness.report import conversation
from harness.report.export import chat
from harness.report.export.facts import facts
from harness.report.export.files import Outputs
from harness.report.export.lines import line
from harness.report.export.pictures import Address
from harness.report.export.source import Rollout, Source


def write(source: Source, path: Path, files: Outputs, address: Address) -> None:
    """Write the rollouts in the order of the plan; raises as the store does."""
    output = files.begin(path)
    for rollout in source.rollouts():
        output.write(line(row(source, rollout, address)))


def row(source: Source, rollout: Rollout, address: Address) -> dict[str, Any]:
    """A rollout's line. What was never tried has no messages."""
    run = {"manifest": source.run.manifest.identity, "scorer": source.scorer, "model": source.run.manifest.model}
    if rollout.last is None:
        return {**run, **facts(source, rollout, ()), "tools": [], "messages": []}
    with source.named(rollout, rollout.last):
        replay = source.replay(rollout.last)
        turns = conversation.turns(replay)
        tools = conversation.tools(replay)
    answers = [turn.answer for turn in turns if turn.answer is not None]
    return {
        **run,
        **facts(source, rollout, answers),
        "tools": list(tools),
        "messages": chat.messages(turns, address),
    }
