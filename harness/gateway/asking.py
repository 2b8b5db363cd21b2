"""Putting a sandbox's requests to the endpoint, and telling an endpoint that fails from a request that it fails on.

Whoever drives the shell chooses what the tools print, and some servers answer HTTP 500 to some contents. That must not
look like an endpoint in trouble, or a model could have its attempt masked. So where the endpoint fails a later request
of the conversation, it is asked the conversation's own first request once more, for a few tokens: one that was
answered, and that the sandboxed side had no part in. If it answers, and fails the other request again, that is the
request's doing.
"""

from typing import Final

import attrs

from harness.gateway.answer import Answer
from harness.gateway.exchange import Exchange
from harness.gateway.failures import Failure
from harness.gateway.policy import Policy
from harness.gateway.request import Request
from harness.gateway.rewrite import upstream_body
from harness.gateway.upstream import Upstream

# Tokens of the answer to the control: it need not be finished.
_CONTROL_TOKENS: Final = 16


class Asking:
    """The requests of one sandbox on their way to its endpoint."""

    def __init__(self, upstream: Upstream, policy: Policy) -> None:
        self._upstream = upstream
        self._policy = policy
        self._control: bytes | None = None

    async def ask(self, request: Request, exchange: Exchange, *, opening: bool, rooted: bool) -> Answer | Failure:
        """The answer, or why there is none.

        ``rooted``: the request belongs to the conversation; ``opening``: it is the first one of it.
        """
        body = upstream_body(request.value, self._policy)
        result = await self._upstream.complete(body, stream=request.stream, exchange=exchange)
        if isinstance(result, Answer):
            if opening and self._control is None:
                self._control = upstream_body(request.value, _few_tokens(self._policy))
            return result
        if not rooted or not _says_it_fails(result) or not await self._answers(stream=request.stream):
            return result
        result = await self._upstream.complete(body, stream=request.stream, exchange=exchange)
        if isinstance(result, Failure) and _says_it_fails(result):
            return attrs.evolve(result, alone=True)
        return result

    async def _answers(self, *, stream: bool) -> bool:
        """Whether the endpoint answers what it has answered before."""
        if self._control is None:
            return False
        found = await self._upstream.complete(self._control, stream=stream, exchange=Exchange(), attempts=1)
        return isinstance(found, Answer)


def _says_it_fails(failure: Failure) -> bool:
    """Whether the endpoint said that it failed. Silence, cuts and overload come of load and of what lies between."""
    return failure.kind == "broken" and failure.spoken


def _few_tokens(policy: Policy) -> Policy:
    name = "max_completion_tokens"
    sampling = {**policy.sampling, name: _CONTROL_TOKENS} if name in policy.sampling else policy.sampling
    return attrs.evolve(policy, max_output=min(policy.max_output, _CONTROL_TOKENS), sampling=sampling)
