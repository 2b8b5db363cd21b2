"""What one sandbox and its endpoint say to each other, as the rest of the harness sees it."""

import asyncio
import sys

import attrs

from harness.gateway.answer import Answer
from harness.gateway.bodies import Bodies
from harness.gateway.chain import Chain, chain
from harness.gateway.exchange import Exchange, Waiting
from harness.gateway.failures import Failure
from harness.gateway.opening import Opening
from harness.gateway.record import Call, Refusal, State, refusal
from harness.gateway.request import Request
from harness.gateway.settings import GatewaySettings
from harness.gateway.source import Place
from harness.gateway.tree import Tree
from harness.gateway.witness import Witness
from harness.store import clock

# Bytes that a call takes in memory beside its texts, roughly.
_CALL = 4096


class Talk:
    """All calls of a sandbox and what came of them; readable at any moment and after the gateway has ended.

    ``first_call`` is set by the first accepted call. ``failed`` is set when going on makes no sense: ``failure`` says
    why. That is so when the conversation's first request got no answer, when a later one of it reached no working
    endpoint, or when any request is not in the record that answers. Any other failure of a later call may be of the
    sandboxed side's making (a shell can send anything); the agent then gets status 400, ends by itself, and
    `failure_of` tells. ``failing`` is the last call of the conversation that was cancelled while the endpoint said that
    it fails it, as the agent's is when the time is up.
    """

    def __init__(self, opening: Opening, settings: GatewaySettings) -> None:
        self.first_call = asyncio.Event()
        self.failed = asyncio.Event()
        self.failure: Failure | None = None
        self.refused = 0
        self.failing: int | None = None
        self._settings = settings
        self._tree = Tree(opening)
        self._bodies = Bodies()
        self._recorded = 0
        self._held = 0
        self._calls: list[Call] = []
        self._refusals: list[Refusal] = []
        self._waiting = Waiting()

    @property
    def calls(self) -> tuple[Call, ...]:
        """The accepted calls in order of arrival, also those still in flight."""
        return tuple(self._calls)

    @property
    def refusals(self) -> tuple[Refusal, ...]:
        """The first refused requests; ``refused`` counts all."""
        return tuple(self._refusals)

    def chain(self, witness: Witness | None = None) -> Chain:
        """The trusted record; with a witness, checked against it."""
        return chain(self._tree, witness)

    def failure_of(self, trusted: Chain) -> Failure | None:
        """Why the chain does not go on from where it ends, if its next call (or its first) was given up."""
        end = trusted.calls[-1] if trusted.calls else None
        found = [self._calls[i].failure for i in trusted.unanswered if self._tree.nodes[i].parent == end]
        return next((failure for failure in reversed(found) if failure is not None), None)

    @property
    def begun(self) -> bool:
        """Whether the model has answered the opening: from then on a shell of its making may call as well."""
        return self._tree.begun

    @property
    def exhausted(self) -> str | None:
        """Which budget is used up: ``calls``, ``tokens``, ``record``, or None."""
        limits = self._settings
        if limits.max_calls is not None and len(self._calls) >= limits.max_calls:
            return "calls"
        if limits.max_tokens is not None and self.tokens >= limits.max_tokens:
            return "tokens"
        recorded = self._bodies.held + self._recorded
        held = self._bodies.held + self._held + _CALL * len(self._calls)
        return "record" if recorded >= limits.max_record or held >= limits.max_held else None

    @property
    def tokens(self) -> int:
        """Tokens that the model wrote, off the chain too; without usage in an answer, one for four characters."""
        return sum(_tokens(call.answer) for call in self._calls if call.answer)

    @property
    def waiting_since(self) -> float | None:
        """Since when (`time.monotonic`) the conversation waits for the endpoint; None if it does not."""
        return self._waiting.since

    def silent_for(self) -> float:
        """For how many seconds the endpoint has sent nothing although the conversation waits for it; else 0."""
        return self._waiting.silent_for

    def troubled(self) -> str | None:
        """What was wrong with the last try of a call of the conversation that is still under way; None if nothing."""
        return self._waiting.trouble

    def fails_alone(self, index: int) -> None:
        """The endpoint was failing this call when the talk ended, and answered another one right then."""
        self._calls[index] = attrs.evolve(self._calls[index], alone=True)

    def waited(self) -> float:
        """Seconds in which at least one call waited for the endpoint."""
        return self._waiting.total

    def accept(self, request: Request) -> int:
        """A call that is passed on; gives its number."""
        node = self._tree.add(request)
        self._calls.append(Call(node.index, self._bodies.add(request.body), clock.now_ns()))
        self.first_call.set()
        return node.index

    def place(self, index: int) -> Place:
        """Where a call stands in the conversation, if at all."""
        node = self._tree.nodes[index]
        return Place(index, node.rooted, opening=node.rooted and node.parent is None)

    def wait(self, index: int, exchange: Exchange) -> None:
        """The call is on its way to the endpoint."""
        self._waiting.start(index, exchange, rooted=self._tree.nodes[index].rooted)

    def settle(self, index: int, exchange: Exchange, result: Answer | Failure | None) -> None:
        """The call is over, with an answer, a failure, or (None) cancelled."""
        self._waiting.stop(index)
        if result is None and exchange.failing and self.place(index).rooted:
            self.failing = index
        answer = result if isinstance(result, Answer) else None
        failure = None
        if isinstance(result, Failure):
            failure = attrs.evolve(result, call=index, opening=self.place(index).opening)
            exchange.give_up()
        state: State = "answered" if answer else "failed" if failure else "cancelled"
        packed = exchange.take()
        self._calls[index] = attrs.evolve(
            self._calls[index],
            state=state,
            packed=packed,
            status=exchange.status,
            ended_ns=clock.now_ns(),
            answer=answer,
            failure=failure,
            tries=tuple(exchange.tries),
        )
        self._recorded += packed.size
        self._held += packed.held + (_text_size(answer) if answer else 0)
        if answer is not None:
            self._tree.answer(index, answer)
        if failure is not None and self._is_the_end(failure):
            self.end(failure)

    def end(self, failure: Failure) -> None:
        """Going on makes no sense."""
        if self.failure is None:
            self.failure = failure
        self.failed.set()

    def refuse(self, status: int, reason: str, method: str, path: str, body: bytes) -> None:
        """A request that is not passed on."""
        if len(self._refusals) < self._settings.max_refusals:
            self._refusals.append(refusal(self.refused, status, reason, method, path, body))
        self.refused += 1

    def _is_the_end(self, failure: Failure) -> bool:
        return (
            failure.opening
            or failure.kind == "not-recorded"
            or (self._tree.nodes[failure.call].rooted and failure.kind in ("unreachable", "silent", "overloaded"))
        )


def _text_size(answer: Answer) -> int:
    texts = (answer.text, answer.reasoning, *(call.arguments for call in answer.tool_calls))
    return sum(map(sys.getsizeof, texts))


def _tokens(answer: Answer) -> int:
    if answer.usage.completion is not None:
        return answer.usage.completion
    written = len(answer.text) + len(answer.reasoning) + sum(len(call.arguments) for call in answer.tool_calls)
    return written // 4
