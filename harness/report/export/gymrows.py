"""Rows of NeMo Gym's files. Own keys have the names that Gym's server for this kind of benchmark gives them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from harness.grading.score import Score
from harness.report.conversation import Turn, prompt
from harness.report.export import vocabulary
from harness.report.export.facts import why
from harness.report.export.pictures import Address
from harness.report.export.responses import response, user_message
from harness.report.export.source import Attempt, Rollout, Source
from harness.report.export.tokens import Tokens

Row = dict[str, Any]

# Sampling that Gym's parameters have a key for; all other goes where Gym puts what only some servers know.
_KNOWN: Final = ("temperature", "top_p")


def agent(source: Source) -> dict[str, str]:
    """Gym's reference to the agent that played."""
    return {"name": f"{source.run.manifest.benchmark}_opencode"}


def rollout_id(rollout: Rollout, attempt: Attempt) -> str:
    """An attempt's id: task and repeat by number, and which attempt it is if it isn't the first."""
    again = f"-a{attempt.number}" if attempt.number else ""
    return f"{rollout.place}-{rollout.item.repeat}{again}"


def inputs(source: Source, rollout: Rollout, attempt: Attempt, address: Address) -> Row:
    """The row of a rollout that was tried: what was asked, and what a judge gets."""
    task = rollout.item.task
    gold = source.tasks.gold(task)
    with source.named(rollout, attempt):
        asked = prompt(attempt.record, source.run.blobs)
    return {
        "_ng_task_index": rollout.place,
        "_ng_rollout_index": rollout.item.repeat,
        "agent_ref": agent(source),
        "responses_create_params": {"input": [user_message(asked, address)], **_parameters(source)},
        "task_id": task,
        "question": gold.question,
        "expected_answer": gold.answer,
        "groups": dict(source.tasks.groups(task)),
    }


def result(
    source: Source,
    attempt: Attempt,
    given: Row,
    turns: Sequence[Turn],
    tools: Sequence[Mapping[str, Any]],
    address: Address,
) -> Row:
    """The row of an attempt, but for its reward: ``given`` is the row of its inputs."""
    record = attempt.record
    tokens = Tokens.of([turn.answer for turn in turns if turn.answer is not None])
    said = response(
        record,
        turns,
        model=source.run.manifest.model,
        tools=tools,
        tokens=tokens,
        address=address,
    )
    output = said["output"]
    return {
        **given,
        "response": said,
        "turns_used": sum(item["type"] == "message" for item in output),
        "finished_naturally": bool(output) and output[-1]["type"] == "message",
        "outcome": record.content.outcome.kind,
        "flags": list(record.content.flags),
    }


def scored(score: Score, attempt: Attempt) -> Row:
    """What a row says of a score. A masked one has a placeholder for its reward, which is no measurement."""
    masked = score.mask_sample or score.reward is None
    kind = vocabulary.kind(score.failure_kind, masked=masked)
    said = score.failure_reason if masked else why(attempt)
    return {
        **_rewarded(0.0 if score.reward is None else score.reward, masked=masked, kind=kind, reason=said),
        "judge_verdict": score.verdict,
        "judge_reason": score.reason,
        "extracted_answer": score.extracted_answer,
        "string_match_reward": float(bool(score.string_match)),
        "judge_model": score.judge.model if score.judge else None,
    }


def failed(attempt: Attempt) -> Row:
    """What a row says of an attempt that is no measurement."""
    kind = vocabulary.kind(attempt.record.content.outcome.failure_kind, masked=True)
    return _rewarded(0.0, masked=True, kind=kind, reason=why(attempt))


def _rewarded(reward: float, *, masked: bool, kind: str | None, reason: str | None) -> Row:
    row = {
        "reward": reward,
        "mask_sample": masked,
        "failure_kind": kind,
        "failure_reason": vocabulary.reason(reason) if kind else None,
    }
    # By this key Gym's reverification finds the rows whose judge failed.
    return {**row, "_ng_failure_class": kind} if masked else row


def _parameters(source: Source) -> Row:
    manifest = source.run.manifest
    sampling = manifest.sampling
    found: Row = {name: sampling[name] for name in _KNOWN if name in sampling}
    if "max_output" in manifest.budgets:
        found["max_output_tokens"] = manifest.budgets["max_output"]
    if "reasoning_effort" in sampling:
        found["reasoning"] = {"effort": sampling["reasoning_effort"]}
    others = {name: value for name, value in sampling.items() if name not in (*_KNOWN, "reasoning_effort")}
    if others:
        found["metadata"] = {"extra_body": json.dumps(others, sort_keys=True)}
    return found
