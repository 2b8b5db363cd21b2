"""A record as the source of a sandbox: each request gets the answer that the very same bytes got before.

The n-th of equal requests gets the n-th answer. There are no pauses and no tries: a failure is given back as the
failure that it was in the end. A call that was cut off, by the deadline or by a sandbox that hung up, stays open until
that happens again. A request that isn't in the record fails, and the failure says how it departs from the nearest one.
"""

import asyncio
from collections import defaultdict, deque
from typing import Final, get_args

import attrs

from harness.gateway.answer import Answer
from harness.gateway.difference import difference
from harness.gateway.exchange import Exchange
from harness.gateway.failures import Failure, Kind
from harness.gateway.record import CANCELLED
from harness.gateway.request import Request
from harness.gateway.response import judged
from harness.gateway.settings import GatewaySettings
from harness.gateway.source import Place
from harness.store.cutting import common_prefix
from harness.store.digests import Digest, digest
from harness.store.replay import Replay

# The outcome of an attempt whose endpoint failed one request alone (`harness.agents.opencode.outcomes`).
_ALONE: Final = "request-refused"


class Recorded:
    """The record of one attempt: a `harness.gateway.source.Source`. Raises as the record's `Replay` does."""

    def __init__(self, replay: Replay, settings: GatewaySettings) -> None:
        self._replay = replay
        self._most = settings.max_response
        self._left: dict[Digest, deque[int]] = defaultdict(deque)
        for index in range(len(replay.record.content.calls)):
            self._left[digest(replay.request(index))].append(index)
        self._given: dict[Digest, int] = defaultdict(int)

    async def ask(self, request: Request, exchange: Exchange, place: Place) -> Answer | Failure:
        name = digest(request.body)
        if not self._left[name]:
            words = await asyncio.to_thread(self._unknown, request.body, name, place.index)
            return Failure("not-recorded", None, words)
        index = self._left[name].popleft()
        self._given[name] += 1
        return await self._give(index, exchange, stream=request.stream)

    async def answers(self) -> bool:
        return True

    async def _give(self, index: int, exchange: Exchange, *, stream: bool) -> Answer | Failure:
        call = self._replay.record.content.calls[index]
        exchange.begin_try()
        trouble: str | None = CANCELLED
        try:
            data = await asyncio.to_thread(self._replay.answer, index)
            exchange.status = call.status
            exchange.hear(data)
            recorded = _trouble(self._replay, index)
            if recorded == CANCELLED:
                await asyncio.Event().wait()
            result = await asyncio.to_thread(judged, call.status, data, stream=stream, most=self._most)
            if recorded is not None:
                result = self._failure(result, recorded, call.status)
            trouble = result.said if isinstance(result, Failure) else None
            return result
        finally:
            exchange.end_try(trouble)

    def _failure(self, result: Answer | Failure, recorded: str, status: int) -> Failure:
        """The failure that was recorded: told by the bytes or, of silence, a cut or no connection, by its words."""
        if not isinstance(result, Failure) or result.said != recorded:
            kind, _, words = recorded.partition(": ")
            result = Failure(_kind(kind), status or None, words)
        alone = result.says_so and self._replay.record.content.outcome.kind == _ALONE
        return attrs.evolve(result, alone=alone)

    def _unknown(self, body: bytes, name: Digest, index: int) -> str:
        content = self._replay.record.content
        what = f"Request {index} of task {content.task!r}, repeat {content.repeat}, is not in the record"
        if given := self._given[name]:
            return f"{what} so often: it stands there {_times(given)}, and the answers have been given."
        nearest = self._nearest(body, index)
        if nearest is None:
            return f"{what}, which holds no request at all."
        return f"{what}. It departs from request {nearest} there {difference(self._replay.request(nearest), body)}."

    def _nearest(self, body: bytes, index: int) -> int | None:
        """The recorded request that has the longest beginning in common with a body, and of those the one in turn."""

        def shared(number: int) -> tuple[int, int]:
            return common_prefix(self._replay.request(number), body), -abs(number - index)

        return max(range(len(self._replay.record.content.calls)), key=shared, default=None)


@attrs.frozen
class Unrecorded:
    """Stands for a record that isn't there: a `harness.gateway.source.Source` that has no answer."""

    reason: str

    async def ask(self, request: Request, exchange: Exchange, place: Place) -> Failure:
        return Failure("not-recorded", None, self.reason)

    async def answers(self) -> bool:
        return False


def _trouble(replay: Replay, index: int) -> str | None:
    """What was wrong with a recorded call in the end; None where it was answered."""
    tries = replay.record.observed.calls[index].tries
    if not tries:  # answered at once, or ended before its turn came
        return None if replay.record.content.calls[index].status else CANCELLED
    trouble = tries[-1].get("trouble")
    if trouble is None:
        return None
    return str(trouble) if tries[-1].get("given_up") else CANCELLED  # in the pause before another try


def _kind(text: str) -> Kind:
    kinds: tuple[Kind, ...] = get_args(Kind)
    return next((kind for kind in kinds if kind == text), "broken")


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
