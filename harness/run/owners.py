"""Who works on a run: whether a process that began on it still lives.

Each start in observed/ names its owner: the node, the boot of its kernel, and the process's scratch folder, which
stands on the node's own disk and is locked as long as the process lives, however that ends. So every process on that
node can see it, in whatever PID namespace. Of a start on another node, or before a reboot, nothing is known.
"""

import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import attrs

from harness.sandbox import state
from harness.store import reading
from harness.store.canonical import JSON
from harness.store.grades import read_object
from harness.store.runfolder import RunFolder

Life = Literal["lives", "gone", "unknown"]

BOOT = Path("/proc/sys/kernel/random/boot_id")


@attrs.frozen
class Owners:
    """The starts of a run: those that ``live`` (their scratch folders), and the nodes of which nothing is known."""

    live: tuple[str, ...]
    unknown: tuple[str, ...]


def sign(scratch: Path) -> dict[str, JSON]:
    """What a start says of its owner, who holds the lock of the folder ``scratch``.

    The folder above is named by its numbers too: where another mount namespace has another one under the same path,
    what is missing there says nothing.
    """
    above = scratch.parent.stat()
    return {
        "host": platform.node() or "unknown",
        "boot": boot(),
        "scratch": str(scratch),
        "above": f"{above.st_dev}:{above.st_ino}",
    }


def owners(run: RunFolder) -> Owners:
    """Look at every start of a run; raises StoreCorruptError for a damaged file."""
    live, unknown = [], set()
    for path in reading.entries(run.layout.observed):
        start = read_object(path)
        owner = start.get("owner")
        if start.get("kind") != "start":
            continue
        known = owner if isinstance(owner, Mapping) else {}
        match life(known):
            case "lives":
                live.append(str(known["scratch"]))
            case "unknown":
                unknown.add(str(known.get("host", "another node")))
    return Owners(tuple(live), tuple(sorted(unknown)))


def life(owner: Mapping[str, Any]) -> Life:
    """Whether the owner that a `sign` names still lives, as far as it can be seen from here."""
    match owner:
        case {"boot": str(booted), "scratch": str(name), "above": str(above)} if booted == boot():
            return _here(Path(name), above)
        case _:
            return "unknown"


def _here(scratch: Path, above: str) -> Life:
    try:
        found = scratch.parent.stat()
        if f"{found.st_dev}:{found.st_ino}" != above:
            return "unknown"
        lock = state.claim(scratch)
    except OSError:  # another user's, or the folder above is gone
        return "unknown"
    if lock is not None:
        os.close(lock)
        return "gone"
    return "lives" if scratch.exists() else "gone"


def boot() -> str:
    """The running kernel's own id, the same in every namespace, another one after each boot."""
    return BOOT.read_text().strip()
