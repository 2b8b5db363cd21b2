"""Attempts for tests of what is read from their records, written by the recorder that a run uses."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from harness.agents.opencode import outcomes
from harness.agents.opencode.outcomes import Outcome
from harness.agents.task import Task, neutral_names
from harness.gateway import Call, Chain
from harness.gateway.answer import read
from harness.gateway.bodies import Bodies
from harness.run import recording
from harness.store.blobs import Blobs
from harness.store.record import AttemptRecord

SECOND = 1_000_000_000
START = 1_790_000_000 * SECOND


def reply(
    text: str = "",
    *calls: tuple[str, str, str],
    reasoning: str = "",
    finish: str = "",
    usage: Mapping[str, Any] | None = None,
    choice: Mapping[str, Any] | None = None,
    **more: Any,
) -> bytes:
    """An endpoint's whole answer with these tool calls (id, name, arguments)."""
    called = [
        {"index": index, "id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
        for index, (call_id, name, arguments) in enumerate(calls)
    ]
    message = {"role": "assistant", "content": text, "reasoning_content": reasoning, "tool_calls": called}
    finish = finish or ("tool_calls" if calls else "stop")
    value = {
        "id": "chatcmpl-1",
        "created": 1_790_000_001,
        "model": "real-name",
        "choices": [{"index": 0, "message": message, "finish_reason": finish, **(choice or {})}],
        **more,
    }
    return json.dumps(value if usage is None else {**value, "usage": usage}).encode()


def record(
    blobs: Blobs,
    exchanges: Sequence[tuple[bytes, bytes]],
    *,
    task: str = "1",
    repeat: int = 0,
    prompt: str = "How many?",
    images: Sequence[bytes] = (),
    chain: Sequence[int] | None = None,
    outcome: Outcome | None = None,
    start: int = START,
    tries: Mapping[int, int] | None = None,
    flags: Sequence[str] = (),
) -> AttemptRecord:
    """The record of an attempt: requests with their answers, all on the chain unless ``chain`` says otherwise.

    Each call takes a second, and begins a second after the one before. ``tries``: of a call's number to how many
    there were.
    """
    bodies = Bodies()
    calls = []
    for index, (request, response) in enumerate(exchanges):
        at = start + (2 * index + 1) * SECOND
        tried = tuple(recording.Try(at, at, 0, "cut") for _ in range((tries or {}).get(index, 1) - 1))
        calls.append(
            Call(
                index=index,
                request=bodies.add(request),
                started_ns=at,
                ended_ns=at + SECOND,
                state="answered",
                packed=response,
                status=200,
                answer=read(response),
                tries=(*tried, recording.Try(at, at + SECOND, 200, None)),
            )
        )
    on_chain = tuple(range(len(calls)) if chain is None else chain)
    last = calls[on_chain[-1]].answer if on_chain else None
    played = recording.Played(
        started_ns=start,
        ended_ns=start + (2 * len(calls) + 1) * SECOND,
        outcome=outcome or outcomes.of("answered"),
        calls=calls,
        chain=Chain(
            on_chain,
            last.text if last else None,
            last.finish_reason if last else None,
            image_ok=bool(on_chain),
            off_chain=tuple(index for index in range(len(calls)) if index not in on_chain),
            flags=tuple(flags),
        ),
    )
    return recording.write(blobs, Task(task, prompt, neutral_names(list(images)), 1800.0), repeat, played)
