"""Who answers the requests of one sandbox: a model's endpoint, or a record of earlier answers."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol, TypeAlias

import attrs

from harness.gateway.answer import Answer
from harness.gateway.exchange import Exchange
from harness.gateway.failures import Failure
from harness.gateway.request import Request


@attrs.frozen
class Place:
    """Where a call stands: its number; whether it belongs to the conversation, and is the first request of it."""

    index: int
    rooted: bool
    opening: bool


class Source(Protocol):
    """Answers one sandbox."""

    async def ask(self, request: Request, exchange: Exchange, place: Place) -> Answer | Failure:
        """The answer, or why there is none; its bytes, HTTP status and tries stand in ``exchange``.

        Can be cancelled at any moment; the exchange then holds what is known.
        """

    async def answers(self) -> bool:
        """Whether it answers, right now, what it has answered before."""


# Who answers the sandbox of a task and repeat.
Sources: TypeAlias = Callable[[str, int], AbstractAsyncContextManager[Source]]
