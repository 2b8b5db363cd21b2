"""The trusted record of an attempt: which of the sandbox's calls are the trajectory, and what the answer is."""

from collections.abc import Iterator
from typing import Final

import attrs

from harness.gateway.tree import Node, Tree
from harness.gateway.witness import Agreement, Witness

# What a reader of the record should know about a chain.
OFF_CHAIN: Final = "off-chain-calls"  # calls that don't belong to the conversation
FORK: Final = "fork"  # the conversation goes on in more than one way
DISAGREES: Final = "witness-disagrees"  # the events show something else than the chain
SHOWS_MORE: Final = "witness-shows-more"  # ... more than the chain
SHOWS_LESS: Final = "witness-shows-less"  # ... less, as they do where the agent was ended


@attrs.frozen
class Chain:
    """The trajectory.

    ``calls`` are the numbers of its calls, each with a complete answer. ``answer`` and ``finish_reason`` are the last
    one's (None without any; ``tool_calls`` wherever it asks for tools, whatever the endpoint called it). ``image_ok``
    says that the first request held the opening's images, byte for byte. ``unanswered`` are calls that would belong
    to it but got no complete answer; all others are ``off_chain`` and never the answer.
    """

    calls: tuple[int, ...]
    answer: str | None
    finish_reason: str | None
    image_ok: bool
    off_chain: tuple[int, ...]
    flags: tuple[str, ...]
    unanswered: tuple[int, ...] = ()


def chain(tree: Tree, witness: Witness | None = None) -> Chain:
    """The chain of a tree.

    The first call that begins with the opening is the agent's: nothing of the sandbox's own runs before the model has
    answered. At a fork the branch counts that the witness shows further; without a witness, or where it shows neither,
    the longest, and of those the one that came last.
    """
    root = next((node for node in tree.nodes if node.opening), None)
    nodes = {node.index: node for node in tree.nodes if root and _same_root(tree, node, root)}
    answered = [node for node in nodes.values() if node.index in tree.answers]
    agreements = _agreements(tree, answered, witness or Witness((), ()))
    last = max(answered, key=lambda node: (agreements[node.index].shown, node.depth, node.index), default=None)
    calls = tree.path(last.index) if last else ()
    unanswered = tuple(_unanswered(tree, list(nodes.values()), calls))
    off_chain = tuple(sorted(set(range(len(tree.nodes))) - {*calls, *unanswered}))
    answer = tree.answers[last.index] if last else None
    flags = set(_witness_flags(agreements[last.index] if last else Agreement(), witness))
    flags |= {FORK} if any(node.index not in calls for node in answered) else set()
    flags |= {OFF_CHAIN} if any(index not in nodes for index in off_chain) else set()
    return Chain(
        calls=calls,
        answer=answer.text if answer else None,
        finish_reason=("tool_calls" if answer.tool_calls else answer.finish_reason) if answer else None,
        image_ok=tree.nodes[calls[0]].opening == "whole" if calls else bool(root and root.opening == "whole"),
        off_chain=off_chain,
        flags=tuple(sorted(flags)),
        unanswered=unanswered,
    )


def _same_root(tree: Tree, node: Node, root: Node) -> bool:
    """Whether a call belongs to the root's conversation, or to one with the very same first request."""
    return node.rooted and tree.nodes[tree.path(node.index)[0]].key == root.key


def _agreements(tree: Tree, answered: list[Node], witness: Witness) -> dict[int, Agreement]:
    found: dict[int, Agreement] = {}
    for node in answered:  # in order of arrival, so a parent comes before its children
        before = Agreement() if node.parent is None else found[node.parent]
        found[node.index] = before.then(tree.answers[node.index], witness)
    return found


def _unanswered(tree: Tree, nodes: list[Node], calls: tuple[int, ...]) -> Iterator[int]:
    for node in nodes:
        if node.index not in tree.answers and (node.parent is None or node.parent in calls):
            yield node.index


def _witness_flags(agreement: Agreement, witness: Witness | None) -> Iterator[str]:
    if witness is None:
        return
    if agreement.differs:
        yield DISAGREES
    elif agreement.texts < len(witness.texts) or agreement.calls < len(witness.tool_calls):
        yield SHOWS_MORE
    elif agreement.beyond:
        yield SHOWS_LESS
