"""Putting a sandbox's requests to the endpoint, and telling an endpoint that fails from a request that it fails on.

Whoever drives the shell chooses what the tools print, and some servers answer HTTP 500 to some contents. That must not
look like an endpoint in trouble, or a model could have its attempt masked. So where the endpoint fails a later request
of the conversation, it is asked the conversation's own first request once more, for a few tokens: one that was
answered, and that the sandboxed side had no part in. If it answers, and fails the other request again, that is the
request's doing. So it is where the talk ends while the endpoint fails a request, and then answers the first one.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import attrs

from harness.gateway.answer import Answer
from harness.gateway.exchange import Exchange
from harness.gateway.failures import Failure
from harness.gateway.policy import Policy
from harness.gateway.request import Request
from harness.gateway.rewrite import upstream_body
from harness.gateway.settings import GatewaySettings
from harness.gateway.source import Place, Source
from harness.gateway.upstream import Upstream

# Tokens of the answer to the control: it need not be finished.
_CONTROL_TOKENS: Final = 16
_CONTROL_SECONDS: Final = 60


@asynccontextmanager
async def connected(policy: Policy, settings: GatewaySettings) -> AsyncIterator[Source]:
    """A policy's endpoint as the source of one sandbox, until the block ends."""
    async with Upstream(policy, settings) as upstream:
        yield Asking(upstream, policy)


class Asking:
    """The requests of one sandbox on their way to its endpoint: a `harness.gateway.source.Source`."""

    def __init__(self, upstream: Upstream, policy: Policy) -> None:
        self._upstream = upstream
        self._policy = policy
        self._control: tuple[bytes, bool] | None = None  # a body, and whether it asks for a stream

    async def ask(self, request: Request, exchange: Exchange, place: Place) -> Answer | Failure:
        """The answer, or why there is none."""
        body = await asyncio.to_thread(upstream_body, request.value, self._policy, request.pictures)
        result = await self._upstream.complete(body, stream=request.stream, exchange=exchange)
        if isinstance(result, Answer):
            if place.opening and self._control is None:
                self._control = (
                    upstream_body(request.value, _few_tokens(self._policy), request.pictures),
                    request.stream,
                )
            return result
        if not place.rooted or not result.says_so or not await self.answers():
            return result
        result = await self._upstream.complete(body, stream=request.stream, exchange=exchange)
        if isinstance(result, Failure) and result.says_so:
            return attrs.evolve(result, alone=True)
        return result

    async def answers(self) -> bool:
        """Whether the endpoint answers what it has answered before."""
        if self._control is None:
            return False
        body, stream = self._control
        try:
            async with asyncio.timeout(_CONTROL_SECONDS):
                found = await self._upstream.complete(body, stream=stream, exchange=Exchange(), attempts=1)
        except TimeoutError:
            return False
        return isinstance(found, Answer)


def _few_tokens(policy: Policy) -> Policy:
    name = "max_completion_tokens"
    sampling = {**policy.sampling, name: _CONTROL_TOKENS} if name in policy.sampling else policy.sampling
    return attrs.evolve(policy, max_output=min(policy.max_output, _CONTROL_TOKENS), sampling=sampling)
