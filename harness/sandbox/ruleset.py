"""The packet filter of a sandbox's network namespace, and reading what it counted."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import attrs

from harness.sandbox.values import Destination

#: A link-local address that nobody else can have: it is only on the sandbox's own loopback.
ADDRESS, PORT = "169.254.1.1", 18080
TABLE = "harness"
#: Distinct destinations that are kept, per kind; the packets beyond are counted all the same.
SET_SIZE = 1024

#: IANA's protocol numbers by name. nft would look names up in a file of the host (/etc/protocols): it is asked for
#: numbers, so that a record never depends on the host.
PROTOCOLS = {"1": "icmp", "2": "igmp", "6": "tcp", "17": "udp", "58": "ipv6-icmp", "132": "sctp", "136": "udplite"}

#: Every packet of the sandbox passes the output hook, since all addresses are routed to its own loopback. What is not
#: for the listener or the loopback is counted, its destination is noted, and it is refused at once, so that programs
#: don't wait for a time-out. Answers of our own refusals are let through.
RULES = f"""\
table inet {TABLE} {{
	counter allowed {{ }}
	counter denied {{ }}
	set tried4 {{ type ipv4_addr . inet_proto . inet_service; size {SET_SIZE}; flags dynamic; counter; }}
	set tried6 {{ type ipv6_addr . inet_proto . inet_service; size {SET_SIZE}; flags dynamic; counter; }}
	set other4 {{ type ipv4_addr . inet_proto; size {SET_SIZE}; flags dynamic; counter; }}
	set other6 {{ type ipv6_addr . inet_proto; size {SET_SIZE}; flags dynamic; counter; }}
	chain output {{
		type filter hook output priority filter; policy drop;
		ip daddr {ADDRESS} tcp dport {PORT} counter name "allowed" accept
		ip saddr {ADDRESS} tcp sport {PORT} accept
		ip daddr 127.0.0.0/8 accept
		ip6 daddr ::1 accept
		tcp flags & (syn | rst) == rst accept
		icmp type destination-unreachable accept
		icmpv6 type destination-unreachable accept
		counter name "denied"
		meta nfproto ipv4 meta l4proto {{ tcp, udp }} update @tried4 {{ ip daddr . meta l4proto . th dport }}
		meta nfproto ipv6 meta l4proto {{ tcp, udp }} update @tried6 {{ ip6 daddr . meta l4proto . th dport }}
		meta nfproto ipv4 meta l4proto != {{ tcp, udp }} update @other4 {{ ip daddr . meta l4proto }}
		meta nfproto ipv6 meta l4proto != {{ tcp, udp }} update @other6 {{ ip6 daddr . meta l4proto }}
		meta l4proto tcp reject with tcp reset
		reject with icmpx admin-prohibited
	}}
	chain forward {{ type filter hook forward priority filter; policy drop; }}
}}
"""


def digest() -> str:
    """sha256 of the rules as they are loaded, in hex."""
    return hashlib.sha256(RULES.encode()).hexdigest()


@attrs.frozen
class Counted:
    """What the filter saw: packets, and the destinations of those that it refused."""

    allowed: int
    denied: int
    destinations: tuple[Destination, ...]
    truncated: bool


def _destination(element: Mapping[str, Any]) -> Destination:
    address, protocol, *port = element["val"]["concat"]
    name = PROTOCOLS.get(str(protocol), str(protocol))
    return Destination(address, name, port[0] if port else None, element["counter"]["packets"])


def parse(listing: bytes) -> Counted:
    """Reads the JSON of ``nft -j -p list table inet harness``.

    Raises:
        ValueError, KeyError, TypeError: it isn't that.
    """
    objects = json.loads(listing)["nftables"]
    counters = {one["counter"]["name"]: one["counter"]["packets"] for one in objects if "counter" in one}
    sets = [one["set"].get("elem", []) for one in objects if "set" in one]
    return Counted(
        allowed=counters["allowed"],
        denied=counters["denied"],
        destinations=tuple(sorted((_destination(one["elem"]) for elements in sets for one in elements), key=_order)),
        truncated=any(len(elements) >= SET_SIZE for elements in sets),
    )


def _order(one: Destination) -> tuple[str, str, int]:
    return (one.address, one.protocol, -1 if one.port is None else one.port)
