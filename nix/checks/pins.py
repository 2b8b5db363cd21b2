"""The pins are well formed: unique, complete, in sets that name only them."""

import json
import re
import sys
from pathlib import Path
from typing import Any

from job import INPUTS, OUT

FOLDER = Path(INPUTS["folder"])
KINDS = ("deb", "wheel", "npm")
FIELDS = {"name": str, "version": str, "file": str, "store": str, "size": int, "sha256": str}
STORE_NAME = re.compile(r"[0-9A-Za-z+\-_?=][0-9A-Za-z+\-._?=]*")  # what Nix allows
SHA256 = re.compile(r"[0-9a-f]{64}")


def read(name: str) -> dict[str, Any]:
    """A file of pins; its keys must be sorted, so that a change is one line."""
    pinned: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text())
    if list(pinned) != sorted(pinned):
        sys.exit(f"pins/{name}.json is not sorted")
    return pinned


def complaints(kind: str, key: str, pin: dict[str, Any]) -> list[str]:
    """What is wrong with one pin."""
    fields = FIELDS | ({"arch": str} if kind == "deb" else {})
    if {name: type(value) for name, value in pin.items()} != fields:
        return [f"pins/{kind}.json: {key} has other fields than {sorted(fields)}"]
    wrong = {
        "name": pin["name"] != key,
        "store": not STORE_NAME.fullmatch(pin["store"]),
        "sha256": not SHA256.fullmatch(pin["sha256"]),
        "size": pin["size"] <= 0,
    }
    return [f"pins/{kind}.json: {key} has a wrong {field}: {pin[field]!r}" for field, bad in wrong.items() if bad]


def main() -> None:
    """Check every file; count the pins in ``OUT``."""
    pinned, sets = {kind: read(kind) for kind in KINDS}, read("sets")
    found = [text for kind in KINDS for key, pin in pinned[kind].items() for text in complaints(kind, key, pin)]
    for kind in KINDS:
        wanted = {key for keys in sets[kind].values() for key in keys}
        found += [f"pins/sets.json: {kind} {key} is not pinned" for key in sorted(wanted - set(pinned[kind]))]
        found += [f"pins/{kind}.json: {key} is in no set" for key in sorted(set(pinned[kind]) - wanted)]
    stores = [pin["store"] for kind in KINDS for pin in pinned[kind].values()]
    found += [f"two pins have the store name {name}" for name in sorted({n for n in stores if stores.count(n) > 1})]
    if not SHA256.fullmatch(read("seed")["sha256"]):
        found.append("pins/seed.json has no sha256")
    if found:
        sys.exit("\n".join(found))
    OUT.write_text("".join(f"{kind}: {len(pins)}\n" for kind, pins in pinned.items()))


main()
