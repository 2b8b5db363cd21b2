"""Whether a record proves that its sandbox reached nothing but the gateway: docs/egress.md says what a proof is. Pure.

It is a check of what was written down: it finds a proof that is missing, was damaged, or was put together carelessly.
Whoever writes all of a record anew can write a proof that adds up; against that helps a signed archive.
"""

import ipaddress
import socket
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Self, get_args

import attrs

from harness.sandbox import limits, ruleset
from harness.sandbox.ruleset import COUNTERS, PROTOCOLS, REFUSED, SET_SIZE
from harness.sandbox.values import Destination, Held, Proof
from harness.store.canonical import JSON
from harness.store.egress import Egress
from harness.store.record import AttemptRecord

#: Digest of rules that this version knows -> the gateway's address and port in them.
KNOWN: Final[Mapping[str, tuple[str, int]]] = dict.fromkeys(
    (ruleset.digest(), ruleset.EARLIER), (ruleset.ADDRESS, ruleset.PORT)
)
#: Limits without which a sandbox could hurt others, whatever the host: something must have held them.
HELD: Final = ("memory", "pids", "workdir", "tmp", "shm", "inodes")

_COUNTED_AS: Final[Mapping[str, str]] = {
    "tcp": "denied_tcp",
    "udp": "denied_udp",
    "icmp": "denied_icmp",
    "ipv6-icmp": "denied_icmp",
}
_SHOWN: Final = 200  # characters
_NAMES: Final = frozenset({*PROTOCOLS.values(), *(str(number) for number in range(256))} - {*PROTOCOLS})


@attrs.frozen(kw_only=True)
class Claim:
    """What a record says that bears on it. ``calls`` and ``refusals``: requests that the gateway took and refused."""

    outcome: str
    masked: bool
    how: str | None
    calls: int
    refusals: int
    egress: Egress | None
    seccomp: str | None
    limits: Mapping[str, str]
    dead: tuple[str, ...]

    @classmethod
    def read(cls, content: Mapping[str, Any], observed: Mapping[str, Any]) -> Self:
        """As `of`, of the two halves as they stand in a record's file.

        Raises KeyError, TypeError, ValueError or CanonicalError where they are none.
        """
        egress = observed["egress"]
        return cls(
            outcome=content["outcome"]["kind"],
            masked=content["outcome"]["masked"],
            how=observed["how"],
            calls=len(content["calls"]),
            refusals=len(observed["refusals"]),
            egress=None if egress is None else Egress.from_json(egress),
            seccomp=observed["seccomp_sha256"],
            limits=dict(observed["limits"]),
            dead=tuple(observed.get("dead", ())),
        )

    @classmethod
    def of(cls, record: AttemptRecord) -> Self:
        """Of a record."""
        content, observed = record.content, record.observed
        return cls(
            outcome=content.outcome.kind,
            masked=content.outcome.masked,
            how=observed.how,
            calls=len(content.calls),
            refusals=len(observed.refusals),
            egress=observed.egress,
            seccomp=observed.seccomp_sha256,
            limits=observed.limits,
            dead=observed.dead,
        )

    @property
    def excused(self) -> bool:
        """Whether there need be no proof: it is no measurement, and there was no sandbox, or it could not be read."""
        nothing = self.how is None and not self.calls and not self.refusals
        return self.egress is None and self.masked and (nothing or self.outcome == "sandbox-failed")

    @property
    def proved(self) -> bool:
        """Whether there is a proof, and nothing is wrong with it."""
        return self.egress is not None and not any(True for _ in problems(self))


def problems(claim: Claim) -> Iterator[str]:
    """What is missing or doesn't fit, each as one text; nothing where it is `Claim.excused`."""
    if claim.egress is None:
        if not claim.excused:
            yield "nothing says what its sandbox sent: the proof is missing"
        return
    if claim.egress.counters is None:
        yield "it has no counters by protocol: a version of the harness made it that kept no whole proof"
        return
    if set(claim.egress.counters) != set(COUNTERS):
        yield f"its counters are {', '.join(sorted(claim.egress.counters))}, not {', '.join(sorted(COUNTERS))}"
        return
    yield from _filters(claim, claim.egress)
    yield from _sums(claim.egress, claim.egress.counters)
    yield from _gateway(claim, claim.egress, claim.egress.counters)
    yield from _limits(claim)


def _filters(claim: Claim, egress: Egress) -> Iterator[str]:
    if egress.ruleset_sha256 not in KNOWN:
        yield f"its rules {egress.ruleset_sha256} are none that this version of the harness knows"
    if claim.seccomp is None:
        yield "it names no system call filter"
    if not {"init", "ids"} <= set(claim.dead):
        yield "it doesn't say by what it was seen that the sandbox was dead when its counters were read"
    if unknown := sorted({*claim.dead} - {*get_args(Proof)}):
        yield f"it says that the sandbox was seen to be dead by {unknown[0]!r}, which this version doesn't know"
    if "cgroup" in claim.limits.values() and "cgroup" not in claim.dead:
        yield "a cgroup held its limits, and it doesn't say that this was empty when its counters were read"


def _sums(egress: Egress, counters: Mapping[str, int]) -> Iterator[str]:
    """Every refused packet is in one counter by protocol, and in one destination or in "unlisted"."""
    by_protocol = sum(counters[name] for name in REFUSED)
    if by_protocol != egress.denied:
        yield f"{egress.denied} packets were refused, but {by_protocol} by protocol"
    unlisted = counters["unlisted"]
    if egress.truncated != (unlisted > 0):
        yield f"truncated is {str(egress.truncated).lower()}, but {unlisted} packets stand without a destination"
    destinations = list[Destination]()
    for one in egress.destinations:
        read = _destination(one, KNOWN.get(egress.ruleset_sha256))
        if read is None:
            yield f"{_shown(one)} can't be a destination that was refused"
            return
        destinations.append(read)
    listed = sum(one.packets for one in destinations)
    if listed + unlisted != egress.denied:
        yield f"{egress.denied} packets were refused, but {listed} stand with a destination and {unlisted} without"
    yield from _destinations(destinations, egress, counters)


def _destinations(destinations: Sequence[Destination], egress: Egress, counters: Mapping[str, int]) -> Iterator[str]:
    places = Counter((one.address, one.protocol, one.port) for one in destinations)
    if twice := next((place for place, count in places.items() if count > 1), None):
        yield f"the destination {twice} is listed twice"
    packets: Counter[str] = Counter()
    for one in destinations:
        packets[_COUNTED_AS.get(one.protocol, "denied_other")] += one.packets
    for name in REFUSED:
        if packets[name] > counters[name]:
            yield f"{name} is {counters[name]}, but the destinations have {packets[name]} such packets"
    sets = Counter((":" in one.address, one.port is None) for one in destinations)
    if any(size > SET_SIZE for size in sets.values()):
        yield f"more destinations are listed than the {SET_SIZE} for which a set has room"
    if egress.truncated and SET_SIZE not in sets.values():
        yield f"truncated is true, but no set is full: none has {SET_SIZE} destinations"


def _gateway(claim: Claim, egress: Egress, counters: Mapping[str, int]) -> Iterator[str]:
    """Packets to the gateway without a request are no contradiction: any program can open a connection and say nothing,
    and what only asks for the list of models is not kept.

    A connection carries one request: it takes a packet to open it, one for the request, and an answer to the first.
    """
    if (claim.calls or claim.refusals) and not (egress.allowed and counters["answers"]):
        yield (
            f"the gateway had {claim.calls} calls and refused {claim.refusals}, but {egress.allowed} packets went to "
            f"it and {counters['answers']} came back"
        )
    elif egress.allowed < 2 * claim.calls or counters["answers"] < claim.calls:
        yield (
            f"the gateway had {claim.calls} calls, each by a connection of its own, but only {egress.allowed} packets "
            f"went to it and {counters['answers']} came back"
        )
    if counters["answers"] and not egress.allowed:
        yield f"{counters['answers']} packets came back from the gateway, but none went to it"


def _limits(claim: Claim) -> Iterator[str]:
    for name, held in claim.limits.items():
        if held not in get_args(Held):
            yield f"its limit {name!r} is said to be held by {held!r}, which this version of the harness doesn't know"
        elif held != "none" and held not in limits.KEEPERS.get(name, (held,)):
            yield f"its limit {name!r} is said to be held by {held!r}, which can't hold it"
    for name in HELD:
        if claim.limits.get(name, "none") == "none":
            yield f"nothing held its limit {name!r}"


def _destination(value: Mapping[str, JSON], gateway: tuple[str, int] | None) -> Destination | None:
    """A destination that the rules can have refused: an address beyond the loopback, and not the gateway.

    TCP and UDP have a port, but for the later fragments of a packet; no other protocol has.
    """
    match value:
        case {"address": str(address), "protocol": str(protocol), "port": port, "packets": int(packets), **rest}:
            if rest or packets < 1 or isinstance(packets, bool) or protocol not in _NAMES:
                return None
        case _:
            return None
    if not (port is None or (type(port) is int and 0 <= port < 1 << 16 and protocol in ("tcp", "udp"))):
        return None
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return None
    if _written(parsed) != address:
        return None
    if parsed.is_loopback or (str(parsed), port, protocol) == (*(gateway or ("", 0)), "tcp"):
        return None
    return Destination(address, protocol, port, packets)


def _written(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> str:
    """The one way in which nft writes an address: others would let one destination stand twice."""
    return socket.inet_ntop(socket.AF_INET if address.version == 4 else socket.AF_INET6, address.packed)


def _shown(value: Mapping[str, JSON]) -> str:
    """A destination that is none, for people: it may be of any length."""
    text = str(dict(value))
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
