"""What the proofs of a run's rollouts come to: of each one as little as the summary needs, and all of them together."""

import heapq
import itertools
import json
from array import array
from collections.abc import Iterable, Iterator

import attrs

from harness.sandbox.egress import Claim
from harness.store.canonical import JSON
from harness.store.digests import digest
from harness.store.egress import Egress

# Enough of a digest to tell destinations apart: a rollout may have thousands, and a run thousands of rollouts.
_BITS = 64


@attrs.frozen
class Sent:
    """Of one rollout: whether its proof is whole, the packets that were refused, whether some have no destination.

    ``destinations``: a number for each, the same for the same one; sorted, as the bytes of an ``array("Q")``.
    """

    proved: bool
    refused: int = 0
    truncated: bool = False
    destinations: bytes = b""

    @classmethod
    def of(cls, claim: Claim) -> "Sent":
        """Of what a record says."""
        egress = claim.egress
        if egress is None:
            return cls(proved=False)
        return cls(claim.proved, egress.denied, egress.truncated, array("Q", sorted(set(_numbers(egress)))).tobytes())


def figures(sent: Iterable[Sent]) -> dict[str, JSON]:
    """Of rollouts that count; docs/results.md names the keys. In whatever order they come, it is the same."""
    sent = list(sent)
    return {
        "rollouts": len(sent),
        "proved": sum(one.proved for one in sent),
        "refused": sum(one.refused for one in sent),
        "destinations": distinct(sent),
        "truncated": sum(one.truncated for one in sent),
    }


def distinct(sent: Iterable[Sent]) -> int:
    """How many destinations there are, each counted once."""
    merged = heapq.merge(*(memoryview(one.destinations).cast("Q") for one in sent))
    return sum(1 for _ in itertools.groupby(merged))


def _numbers(egress: Egress) -> Iterator[int]:
    for one in egress.destinations:
        about = {name: value for name, value in one.items() if name != "packets"}
        yield int(digest(json.dumps(about, sort_keys=True).encode())[: _BITS // 4], 16)
