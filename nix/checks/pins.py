"""The pins are well formed, and there is neither too little nor too much of them."""

import json
import sys
from collections import Counter
from pathlib import Path

from job import INPUTS, OUT

from harness.pins.reading import KINDS, read

FOLDER = Path(INPUTS["folder"])


def unsorted_files() -> list[str]:
    """Files whose keys are not sorted; where they are, a change shows as one line."""
    pinned = {kind: list(json.loads((FOLDER / f"{kind}.json").read_text())) for kind in KINDS}
    return [f"pins/{kind}.json is not sorted" for kind, keys in pinned.items() if keys != sorted(keys)]


def main() -> None:
    """Check every file; count the pins in ``OUT``."""
    pins = read(FOLDER)
    found = unsorted_files()
    for kind in KINDS:
        used = {name for members in pins.sets[kind].values() for name in members}
        found += [f"pins/{kind}.json: {name} is in no set" for name in pins.entries[kind] if name not in used]
        renamed = [name for name, pin in pins.entries[kind].items() if pin.name != name]
        found += [f"pins/{kind}.json: {name} stands under another name" for name in renamed]
    stores = Counter(pin.store for _, pin in pins)
    found += [f"{count} pins have the store name {name}" for name, count in stores.items() if count > 1]
    if found:
        sys.exit("\n".join(found))
    OUT.write_text("".join(f"{kind}: {len(pins.entries[kind])}\n" for kind in KINDS))


main()
