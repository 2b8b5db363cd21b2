"""From what one attempt brought to its record."""

import platform
from collections.abc import Iterator, Sequence
from typing import Any, Final

import attrs

from harness.agents import opencode
from harness.agents.opencode import families
from harness.agents.task import Task
from harness.gateway import Call, Chain, Refusal, Try, printed_parts
from harness.sandbox.values import Ended, Evidence
from harness.store import record
from harness.store.blobs import Blobs
from harness.store.canonical import JSON
from harness.store.egress import Egress
from harness.store.observed import Observed
from harness.store.recorder import Recorder

# The flag of a record whose endpoint gave the tokens of its answers, but not all of them.
TOKENS_MISSING: Final = "tokens-missing"


@attrs.frozen(kw_only=True)
class Played:
    """All that one attempt brought; ``ended`` and ``evidence`` are None where there was no sandbox to end."""

    started_ns: int
    ended_ns: int
    outcome: opencode.Outcome
    calls: Sequence[Call] = ()
    refusals: Sequence[Refusal] = ()
    chain: Chain | None = None
    ended: Ended | None = None
    evidence: Evidence | None = None
    sessions: Sequence[str] = ()


def write(blobs: Blobs, task: Task, repeat: int, played: Played) -> record.AttemptRecord:
    """Keep the blobs and return the record that names them; raises as the store does."""
    calls = Recorder(blobs)
    for call in played.calls:
        calls.call(
            request=call.request_body,
            answer=call.response,
            status=call.status,
            finish_reason=call.answer.finish_reason if call.answer else None,
            started_ns=call.started_ns,
            ended_ns=call.ended_ns,
            tries=_tries(call.tries),
        )
    for name, data in sorted(played.evidence.outputs.items()) if played.evidence else ():
        calls.artifact(name, data)
    content = _content(blobs, task, repeat, played, calls)
    return record.AttemptRecord(content, _observed(blobs, played, calls))


def _content(blobs: Blobs, task: Task, repeat: int, played: Played, calls: Recorder) -> record.Content:
    chain, outcome = played.chain, played.outcome
    return record.Content(
        task=task.id,
        repeat=repeat,
        prompt=blobs.put(task.prompt.encode()),
        images=tuple(record.PromptImage(image.name, blobs.put(image.data)) for image in task.images),
        calls=calls.calls,
        chain=chain.calls if chain else (),
        answer=chain.answer if chain else None,
        finish_reason=chain.finish_reason if chain else None,
        image_ok=chain.image_ok if chain else False,
        flags=(*chain.flags, *_signs(played.calls, chain)) if chain else (),
        outcome=record.Outcome(
            kind=outcome.kind, masked=outcome.masked, failure_kind=outcome.failure_kind, reason=None
        ),
    )


def _signs(calls: Sequence[Call], chain: Chain) -> Iterator[str]:
    """What a reader should know of the conversation and of how the model is served; decides nothing."""
    first = next((call for call in calls if call.index == chain.calls[0]), None) if chain.calls else None
    if first is not None and families.differs(first.request_body):
        yield families.DIFFERS
    answers = [call.answer for call in calls if call.index in chain.calls and call.answer]
    if any(answer.token_ids for answer in answers) and not all(answer.has_tokens for answer in answers):
        yield TOKENS_MISSING
    if any(printed_parts.shows(text) for answer in answers for text in (answer.text, answer.reasoning)):
        yield printed_parts.PRINTED_PARTS


def _observed(blobs: Blobs, played: Played, calls: Recorder) -> Observed:
    ended, evidence = played.ended, played.evidence
    return Observed(
        started_ns=played.started_ns,
        ended_ns=played.ended_ns,
        host=platform.node() or "unknown",
        sessions=tuple(played.sessions),
        how=ended.how if ended else None,
        exit_code=ended.exit_code if ended else None,
        reason=played.outcome.reason,
        egress=_egress(blobs, evidence) if evidence else None,
        seccomp_sha256=blobs.put(evidence.seccomp) if evidence else None,
        limits=dict(evidence.limits) if evidence else {},
        dead=evidence.dead if evidence else (),
        full=evidence.full if evidence else (),
        peak_rss=evidence.peak_rss if evidence else None,
        artifacts=calls.artifacts,
        pack=calls.pack(),
        refusals=tuple(_plain(refusal) for refusal in played.refusals),
        calls=calls.observed,
    )


def _egress(blobs: Blobs, evidence: Evidence) -> Egress:
    return Egress(
        ruleset_sha256=blobs.put(evidence.ruleset),
        allowed=evidence.allowed,
        denied=evidence.denied,
        destinations=tuple(_plain(destination) for destination in evidence.destinations),
        truncated=evidence.truncated,
        counters=dict(evidence.counters),
    )


def _tries(tries: Sequence[Try]) -> list[dict[str, JSON]]:
    """Nothing where the first one was answered: all that it says stands in the call."""
    if len(tries) == 1 and tries[0].trouble is None:
        return []
    return [_try(tried) for tried in tries]


def _try(tried: Try) -> dict[str, JSON]:
    return {
        "started_ns": str(tried.started_ns),
        "ended_ns": str(tried.ended_ns),
        "status": tried.status,
        "trouble": tried.trouble,
        "given_up": tried.given_up,
    }


def _plain(value: Any) -> dict[str, Any]:
    return attrs.asdict(value)
