"""All calls of a sandbox as a tree: which one goes on from which.

A shell in the sandbox can call the gateway as the agent can. What can't be forged is what the model answered; so a
call belongs to the conversation only if it begins with the harness's opening and repeats each answer as it was given.
Nothing of the shell runs before the first answer, so what begins anew after it is the shell's; and the agent sends the
same tools and settings each time, so what changes those is the shell's as well.
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Final

import attrs

from harness.gateway.answer import Answer
from harness.gateway.continuation import continues
from harness.gateway.messages import Message
from harness.gateway.opening import Match, Opening
from harness.gateway.request import Request

_EQUAL_MAX: Final = 100


@attrs.frozen
class Node:
    """A call in the tree.

    ``parent`` is the call that it goes on from; ``opening`` says how well it begins a conversation, None where it
    doesn't; ``rooted`` whether it belongs to the conversation. ``key`` stands for all its messages, ``frame`` for all
    else in its body.
    """

    index: int
    parent: int | None
    opening: Match | None
    rooted: bool
    depth: int
    key: bytes = attrs.field(repr=False)
    frame: bytes = attrs.field(repr=False)


class Tree:
    """Takes calls as they come and their answers as they are complete."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening.shape()
        self.nodes: list[Node] = []
        self.answers: dict[int, Answer] = {}
        self._by_key: dict[bytes, list[int]] = {}

    def add(self, request: Request) -> Node:
        """Places the next call; its number is how many there were before."""
        messages, frame = request.messages, request.frame
        index, key = len(self.nodes), _key(messages)
        last = max((at for at, message in enumerate(messages) if message.role == "assistant"), default=None)
        if last is None:
            match = self._opening.match(messages)
            node = Node(index, None, match, match is not None and not self.begun, 0, key, frame)
        else:
            parent = self._parent(messages[:last], messages[last:])
            rooted = parent is not None and parent.rooted and parent.frame == frame
            depth = 0 if parent is None else parent.depth + 1
            node = Node(index, None if parent is None else parent.index, None, rooted, depth, key, frame)
        self.nodes.append(node)
        self._by_key.setdefault(key, []).append(index)
        return node

    @property
    def begun(self) -> bool:
        """Whether the model has answered the opening."""
        return any(self.nodes[index].opening and self.nodes[index].rooted for index in self.answers)

    def answer(self, index: int, answer: Answer) -> None:
        """The call has this answer, which was complete."""
        self.answers[index] = answer

    def path(self, index: int) -> tuple[int, ...]:
        """The calls from the first to this one."""
        path: list[int] = []
        at: int | None = index
        while at is not None:
            path.append(at)
            at = self.nodes[at].parent
        return tuple(reversed(path))

    def _parent(self, before: Sequence[Message], rest: Sequence[Message]) -> Node | None:
        """The first call with just the messages before, whose answer the rest begins with."""
        # Of equal requests only so many: a shell could send one and the same for ever.
        for index in self._by_key.get(_key(before), ())[:_EQUAL_MAX] if before else ():
            if index in self.answers and continues(self.answers[index], rest):
                return self.nodes[index]
        return None


def _key(messages: Iterable[Message]) -> bytes:
    return hashlib.sha256(b"".join(message.digest for message in messages)).digest()
