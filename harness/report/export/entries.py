"""Token entries: what a trainer needs of each call, in the shape of NeMo Gym's `TokenEntry`.

There is an entry for each call on the chain whose endpoint gave the ids of the prompt and of all that was generated,
with as many log-probabilities. Keys beside Gym's own: ``images``, the SHA-256 of each image in the call's prompt, in
their order (ids alone don't hold them), and ``mask_sample``, which says of the whole rollout that no training sequence
can be put together from its entries, with ``mask_reason``. That says nothing about its reward.
"""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, Final

import attrs

from harness.gateway import FORK
from harness.gateway.answer import Answer
from harness.report.conversation import Turn
from harness.report.export.responses import answer_items
from harness.store.record import AttemptRecord

SCHEMA_VERSION: Final = 1

_SECOND: Final = 1_000_000_000  # nanoseconds


@attrs.frozen
class Captured:
    """One call with its token ids, and the images that its prompt held."""

    turn: Turn
    answer: Answer
    images: tuple[str, ...]


def entries(record: AttemptRecord, turns: Sequence[Turn], rollout_id: str, model: str) -> Iterator[dict[str, Any]]:
    """The entries of an attempt, in the order of its calls; none where its endpoint gave no ids."""
    found = captured(turns)
    masked = mask_reason(record, found)
    for call in found:
        items = answer_items(call.turn)
        number = call.turn.call or 0
        yield {
            "schema_version": SCHEMA_VERSION,
            "rollout_id": rollout_id,
            "model_call_id": f"{rollout_id}-call-{number:05}",
            "model": model,
            "prompt_token_ids": list(call.answer.prompt_token_ids),
            "generation_token_ids": list(call.answer.token_ids),
            "generation_log_probs": list(call.answer.logprobs),
            "output_items": items,
            "token_item_index": len(items) - 1 if items else None,
            "created_at": record.observed.calls[number].started_ns / _SECOND,
            "images": list(call.images),
            "mask_sample": masked is not None,
            "mask_reason": masked,
        }


def captured(turns: Sequence[Turn]) -> list[Captured]:
    """The calls with token ids."""
    found, images = list[Captured](), list[str]()
    for turn in turns:
        images += [picture.sha256 for picture in turn.pictures]
        if turn.answer and turn.answer.has_tokens:
            found.append(Captured(turn, turn.answer, tuple(images)))
    return found


def mask_reason(record: AttemptRecord, found: Sequence[Captured]) -> str | None:
    """Why no training sequence can be put together from these calls; None where one can.

    It takes each call's prompt to begin with the prompt before it and what was generated then. Where that does not
    hold, as where the serving template writes earlier turns anew, there is more than one chain of tokens. So there is
    where the conversation forked: which branch went on can't be told from tokens.
    """
    if len(found) < len(record.content.chain):
        return f"{len(record.content.chain) - len(found)} of {len(record.content.chain)} calls have no token ids"
    if FORK in record.content.flags:
        return "the conversation forked: there is more than one chain"
    for before, after in itertools.pairwise(found):
        given = (*before.answer.prompt_token_ids, *before.answer.token_ids)
        if after.answer.prompt_token_ids[: len(given)] != given:
            return (
                f"call {after.turn.call} doesn't go on from the tokens of call {before.turn.call}: more than one chain"
            )
    return None
