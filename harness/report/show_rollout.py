"""One attempt at a task as one object: the talk, what came of it, and what was observed; from the run folder alone."""

import datetime
from collections.abc import Iterator, Sequence
from typing import Any

import attrs

from harness.errors import UnknownNameError, UsageError
from harness.gateway.answer import Answer, Usage, read
from harness.report import show_proof
from harness.report.conversation import Picture, Turn, conversation
from harness.report.pictures import described
from harness.run.plan import Item
from harness.run.rows import Looked, Row
from harness.run.summary import SECOND
from harness.store.canonical import JSON
from harness.store.record import AttemptRecord
from harness.store.references import Done
from harness.store.replay import Replay


@attrs.frozen(kw_only=True)
class Rollout:
    """An attempt: its name among all ``attempts``, its record, and its turns; ``row`` is what the task came to."""

    item: Item
    name: str
    attempts: Sequence[tuple[str, AttemptRecord]]
    done: Done | None
    row: Row
    record: AttemptRecord = attrs.field(repr=False)
    turns: Sequence[Turn] = attrs.field(repr=False)

    @property
    def counts(self) -> bool:
        """Whether it is the attempt that counts."""
        return self.done is not None and self.done.attempt == self.name

    @property
    def pictures(self) -> Iterator[Picture]:
        """Its images, in order, as often as they were shown."""
        return (picture for turn in self.turns for picture in turn.pictures)


def find(looked: Looked, task: str, repeat: int, attempt: str | None) -> Rollout:
    """The attempt that counts, else the last one, else the ``attempt`` of this number (from 1) or beginning of a name.

    Raises UnknownNameError for a task that isn't planned, UsageError for another repeat or attempt that isn't there.
    """
    return planned_rollout(looked, item(looked, task, repeat), attempt)


def planned_rollout(looked: Looked, planned: Item, attempt: str | None = None) -> Rollout:
    """The same of a rollout that is planned: for whoever reads all of them, and need not look for each."""
    run, task, repeat = looked.run, planned.task, planned.repeat
    names = run.attempt_names(task, repeat)
    records = [(name, run.read_attempt(task, repeat, name)) for name in names]
    records.sort(key=lambda found: (found[1].observed.started_ns, found[0]))
    if not records:
        raise UsageError(f"Task {task}, repeat {repeat}, was never played to an end: there is nothing to show.")
    done = run.done(task, repeat)
    name, record = _chosen(records, attempt if attempt is not None or done is None else done.attempt)
    return Rollout(
        item=planned,
        name=name,
        attempts=records,
        done=done,
        row=looked.row(planned),
        record=record,
        turns=conversation(record, run.blobs),
    )


def item(looked: Looked, task: str, repeat: int) -> Item:
    """The planned rollout; raises UnknownNameError for a task that isn't planned, UsageError for another repeat."""
    repeats = [one.repeat for one in looked.items if one.task == task]
    if not repeats:
        raise UnknownNameError("task", task, {one.task for one in looked.items}, "in this run")
    if repeat not in repeats:
        raise UsageError(f"Task {task} has the repeats 0 to {repeats[-1]}, and no {repeat}.")
    return Item(task, repeat)


def _chosen(records: Sequence[tuple[str, AttemptRecord]], wanted: str | None) -> tuple[str, AttemptRecord]:
    if wanted is None:
        return records[-1]
    if wanted.isdecimal() and 1 <= int(wanted) <= len(records):
        return records[int(wanted) - 1]
    found = [pair for pair in records if pair[0].startswith(wanted)]
    if len(found) != 1:
        names = "".join(f"\n  {number} {name}" for number, (name, _) in enumerate(records, start=1))
        raise UsageError(f"{len(found)} attempts are called {wanted!r}. There are:{names}")
    return found[0]


def to_json(looked: Looked, rollout: Rollout, *, all_calls: bool) -> dict[str, JSON]:
    """The object of ``harness show RUN TASK --json``; texts are as they came, however long."""
    content, observed, row = rollout.record.content, rollout.record.observed, rollout.row
    score = row.score if rollout.counts else None
    gold = looked.benchmark.gold(rollout.item.task)
    found: dict[str, JSON] = {
        "run": str(looked.run.layout.root),
        "benchmark": looked.run.manifest.benchmark,
        "policy_model": looked.run.manifest.model,
        "task": rollout.item.task,
        "repeat": rollout.item.repeat,
        "groups": row.result.groups,
        "question": gold.question,
        "gold": gold.answer,
        "attempt": rollout.name,
        "counts": rollout.counts,
        "attempts": [_attempt(rollout, number) for number in range(len(rollout.attempts))],
        "turns": [_turn(turn, rollout.record) for turn in rollout.turns],
        "answer": content.answer,
        "reward": row.result.reward if rollout.counts else None,
        "judge_model": score.judge.model if score and score.judge else None,
        "outcome": attrs.asdict(content.outcome) | {"reason": content.outcome.reason or observed.reason or None},
        "image_ok": content.image_ok,
        "flags": list(content.flags),
        "chain": list(content.chain),
        "off_chain": list(content.off_chain),
        "tokens": _tokens(rollout.turns),
        "played_seconds": (observed.ended_ns - observed.started_ns) / SECOND,
        "waited_seconds": observed.waiting_ns / SECOND,
        "observed": _observed(rollout.record),
        "proof": show_proof.to_json(looked.run, rollout.record),
    }
    for name in ("verdict", "reason", "extracted_answer", "string_match", "failure_kind", "failure_reason"):
        found[name] = getattr(score, name) if score else None
    if all_calls:
        replay = Replay(rollout.record, looked.run.blobs)
        found["calls_off_chain"] = [_call(replay, index) for index in content.off_chain]
    return found


def _attempt(rollout: Rollout, number: int) -> dict[str, JSON]:
    name, record = rollout.attempts[number]
    observed, outcome = record.observed, record.content.outcome
    return {
        "number": number + 1,
        "name": name,
        "counts": rollout.done is not None and rollout.done.attempt == name,
        "outcome": outcome.kind,
        "masked": outcome.masked,
        "started": datetime.datetime.fromtimestamp(observed.started_ns // SECOND, datetime.UTC).isoformat(),
        "played_seconds": (observed.ended_ns - observed.started_ns) / SECOND,
        "calls": len(record.content.calls),
    }


def _turn(turn: Turn, record: AttemptRecord) -> dict[str, JSON]:
    parts: list[JSON] = [{"text": part} if isinstance(part, str) else {"image": described(part)} for part in turn.parts]
    found: dict[str, JSON] = {"role": turn.role, "parts": parts}
    if turn.role == "tool":
        found |= {"tool": turn.tool, "tool_call_id": turn.tool_call_id}
    if turn.call is not None and turn.answer is not None:
        found |= {"call": turn.call, "seconds": _seconds(record, turn.call), **_said(turn.answer)}
    return found


def _said(answer: Answer) -> dict[str, JSON]:
    """What an answer holds beside its text."""
    return {
        "reasoning": answer.reasoning,
        "tool_calls": [attrs.asdict(call) for call in answer.tool_calls],
        "finish_reason": answer.finish_reason,
        "usage": attrs.asdict(answer.usage),
        "error": answer.error,
    }


def _call(replay: Replay, index: int) -> dict[str, JSON]:
    """A call off the chain: whoever made it, the model's words in it are no part of the talk."""
    answer = read(data := replay.answer(index))
    return {
        "call": index,
        "status": replay.record.content.calls[index].status,
        "seconds": _seconds(replay.record, index),
        "request": replay.request(index).decode("utf-8", "backslashreplace"),
        "text": answer.text,
        **_said(answer),
        "body": None if answer.whole else data.decode("utf-8", "backslashreplace"),
    }


def _seconds(record: AttemptRecord, index: int) -> float:
    call = record.observed.calls[index]
    return (call.ended_ns - call.started_ns) / SECOND


def _tokens(turns: Sequence[Turn]) -> dict[str, JSON]:
    """Of all calls on the chain, as the endpoint counted them; null where it didn't."""
    counted = [turn.answer.usage for turn in turns if turn.answer]
    names = [field.name for field in attrs.fields(Usage)]
    found = {name: [value for one in counted if (value := getattr(one, name)) is not None] for name in names}
    return {name: sum(values) if values else None for name, values in found.items()}


def _observed(record: AttemptRecord) -> dict[str, Any]:
    """What belongs to a place and time, but for the calls."""
    observed = record.observed
    return {
        "host": observed.host,
        "how": observed.how,
        "exit_code": observed.exit_code,
        "egress": None if observed.egress is None else observed.egress.to_json(),
        "limits": dict(observed.limits),
        "full": list(observed.full),
        "dead": list(observed.dead),
        "peak_rss": observed.peak_rss,
        "refusals": [dict(refusal) for refusal in observed.refusals],
        "tried_again": sum(max(0, len(call.tries) - 1) for call in observed.calls),
        "sessions": list(observed.sessions),
    }
