"""Reading what the packet filter of a sandbox holds: its counters, the destinations, and its rules."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from harness.sandbox.ruleset import COUNTERS, PROTOCOLS, REFUSED
from harness.sandbox.values import Destination

#: What changes from one listing of the same rules to the next.
_PASSING = ("handle", "elem", "packets", "bytes")


@attrs.frozen
class Counted:
    """What the filter saw: packets, and the destinations of those that it refused."""

    allowed: int
    denied: int
    destinations: tuple[Destination, ...]
    #: By the other names of `ruleset.COUNTERS`.
    counters: Mapping[str, int]
    #: The rules as the kernel holds them, in a form that is equal for equal rules.
    rules: str

    @property
    def truncated(self) -> bool:
        """Whether there were destinations that are in no set."""
        return self.counters["unlisted"] > 0

    @property
    def adds_up(self) -> bool:
        """Whether each refused packet is in one counter by protocol, and in one destination or in "unlisted".

        A packet that comes while the filter is read may be in one and not yet in the other.
        """
        listed = sum(one.packets for one in self.destinations)
        by_protocol = sum(self.counters[name] for name in REFUSED)
        return self.denied == listed + self.counters["unlisted"] == by_protocol


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
        counters={name: counters[name] for name in COUNTERS},
        rules=json.dumps(list(_lasting(objects)), sort_keys=True),
    )


def _destination(element: Mapping[str, Any]) -> Destination:
    address, protocol, *port = element["val"]["concat"]
    name = PROTOCOLS.get(str(protocol), str(protocol))
    return Destination(address, name, port[0] if port else None, element["counter"]["packets"])


def _order(one: Destination) -> tuple[str, str, int]:
    return (one.address, one.protocol, -1 if one.port is None else one.port)


def _lasting(objects: list[dict[str, Any]]) -> Iterator[Any]:
    """All that is said of tables, counters, sets, chains and rules, but for what they count."""
    for one in objects:
        for kind, about in one.items():
            if kind != "metainfo":
                yield kind, {name: value for name, value in about.items() if name not in _PASSING}
