"""The packet filter's rules, and reading what they counted."""

import hashlib
import json
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from harness.sandbox import ruleset
from harness.sandbox.values import Destination


def _listing(**sets: list[Any]) -> bytes:
    named = [
        {"set": {"family": "inet", "name": name, **({"elem": elems} if elems else {})}} for name, elems in sets.items()
    ]
    return json.dumps(
        {
            "nftables": [
                {"metainfo": {"version": "1.0.6", "json_schema_version": 1}},
                {"table": {"family": "inet", "name": "harness", "handle": 1}},
                {"counter": {"family": "inet", "name": "allowed", "packets": 7, "bytes": 400}},
                {"counter": {"family": "inet", "name": "denied", "packets": 3, "bytes": 180}},
                *named,
                {"chain": {"family": "inet", "name": "output", "policy": "drop"}},
            ]
        }
    ).encode()


def _element(*value: Any, packets: int = 1) -> dict[str, Any]:
    return {"elem": {"val": {"concat": list(value)}, "counter": {"packets": packets, "bytes": 60}}}


def test_rules(snapshot: SnapshotAssertion) -> None:
    assert snapshot == ruleset.RULES


def test_the_digest_is_of_the_rules_as_loaded() -> None:
    assert ruleset.digest() == hashlib.sha256(ruleset.RULES.encode()).hexdigest()


def test_counters_and_destinations_in_order() -> None:
    found = ruleset.parse(
        _listing(
            tried4=[_element("8.8.8.8", 17, 53, packets=2), _element("1.2.3.4", 6, 443)],
            tried6=[_element("2001:db8::1", 6, 80)],
            other4=[_element("8.8.8.8", 1)],
            other6=[],
        )
    )
    assert (found.allowed, found.denied, found.truncated) == (7, 3, False)
    assert found.destinations == (
        Destination("1.2.3.4", "tcp", 443, 1),
        Destination("2001:db8::1", "tcp", 80, 1),
        Destination("8.8.8.8", "icmp", None, 1),
        Destination("8.8.8.8", "udp", 53, 2),
    )


def test_a_protocol_without_a_name() -> None:
    (one,) = ruleset.parse(_listing(other4=[_element("8.8.8.8", 253)])).destinations
    assert one.protocol == "253"


def test_a_full_set_is_told() -> None:
    elements = [_element("10.0.0.1", 6, port) for port in range(ruleset.SET_SIZE)]
    assert ruleset.parse(_listing(tried4=elements)).truncated
    assert not ruleset.parse(_listing(tried4=elements[1:])).truncated


@pytest.mark.parametrize("listing", [b"", b"[]", b'{"nftables": []}'])
def test_what_is_no_listing_is_an_error(listing: bytes) -> None:
    with pytest.raises((ValueError, KeyError, TypeError)):
        ruleset.parse(listing)
