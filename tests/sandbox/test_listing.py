"""Reading what the packet filter counted."""

import json
from typing import Any

import pytest

from harness.sandbox import listing, ruleset
from harness.sandbox.values import Destination

COUNTERS = dict.fromkeys(ruleset.COUNTERS, 0)


def _listing(counters: dict[str, int] | None = None, policy: str = "drop", **sets: list[Any]) -> bytes:
    counts = {"allowed": 7, "denied": 3, **COUNTERS, **(counters or {})}
    named = [
        {"set": {"family": "inet", "name": name, "size": 1024, **({"elem": elems} if elems else {})}}
        for name, elems in sets.items()
    ]
    return json.dumps(
        {
            "nftables": [
                {"metainfo": {"version": "1.0.6", "json_schema_version": 1}},
                {"table": {"family": "inet", "name": "harness", "handle": 1}},
                *({"counter": {"name": name, "packets": count, "bytes": 9}} for name, count in counts.items()),
                *named,
                {"chain": {"family": "inet", "name": "output", "policy": policy}},
            ]
        }
    ).encode()


def _element(*value: Any, packets: int = 1) -> dict[str, Any]:
    return {"elem": {"val": {"concat": list(value)}, "counter": {"packets": packets, "bytes": 60}}}


def test_counters_and_destinations_in_order() -> None:
    found = listing.parse(
        _listing(
            {"answers": 5, "denied_udp": 2},
            tried4=[_element("8.8.8.8", 17, 53, packets=2), _element("1.2.3.4", 6, 443)],
            tried6=[_element("2001:db8::1", 6, 80)],
            other4=[_element("8.8.8.8", 1)],
            other6=[],
        )
    )
    assert (found.allowed, found.denied, found.truncated) == (7, 3, False)
    assert found.counters == {**COUNTERS, "answers": 5, "denied_udp": 2}
    assert found.destinations == (
        Destination("1.2.3.4", "tcp", 443, 1),
        Destination("2001:db8::1", "tcp", 80, 1),
        Destination("8.8.8.8", "icmp", None, 1),
        Destination("8.8.8.8", "udp", 53, 2),
    )


def test_a_protocol_without_a_name() -> None:
    (one,) = listing.parse(_listing(other4=[_element("8.8.8.8", 253)])).destinations
    assert one.protocol == "253"


def test_a_destination_that_had_no_room_is_told() -> None:
    elements = [_element("10.0.0.1", 6, port) for port in range(ruleset.SET_SIZE)]
    assert listing.parse(_listing({"unlisted": 1}, tried4=elements)).truncated
    assert not listing.parse(_listing(tried4=elements)).truncated


@pytest.mark.parametrize(
    ("counters", "adds_up"),
    [
        ({"denied_udp": 2, "denied_tcp": 1}, True),
        ({"denied_udp": 2, "denied_other": 1, "denied": 3}, True),
        ({"denied_udp": 2}, False),
        ({"denied_udp": 3, "denied": 4}, False),
        ({"denied_udp": 4, "denied": 4}, False),
        ({"denied_udp": 4, "denied": 4, "unlisted": 1}, True),
        ({"denied_udp": 3, "unlisted": 1}, False),
    ],
)
def test_each_refused_packet_is_counted_by_protocol_and_by_destination(counters: dict[str, int], adds_up: bool) -> None:
    found = listing.parse(_listing(counters, tried4=[_element("8.8.8.8", 17, 53, packets=3)]))
    assert found.adds_up is adds_up


def test_equal_rules_are_equal_whatever_was_counted() -> None:
    one, other = _listing(tried4=[]), _listing({"denied": 9}, tried4=[_element("8.8.8.8", 17, 53)])
    assert listing.parse(one).rules == listing.parse(other).rules
    assert listing.parse(one).rules != listing.parse(_listing(policy="accept", tried4=[])).rules


@pytest.mark.parametrize("text", [b"", b"[]", b'{"nftables": []}'])
def test_what_is_no_listing_is_an_error(text: bytes) -> None:
    with pytest.raises((ValueError, KeyError, TypeError)):
        listing.parse(text)
