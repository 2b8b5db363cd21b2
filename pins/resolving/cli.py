"""The command line of pins/update."""

import argparse
import subprocess
from collections.abc import Sequence
from pathlib import Path

from fetching.catalog import KINDS
from fetching.problems import BadInputError, PinsError, WrongBytesError
from fetching.progress import say
from resolving import debs, measuring, npms, pinned, wanted, wheels
from resolving.entries import Entries, Members
from resolving.pinned import Pinned
from resolving.wanted import WantedSet

PINS = Path(__file__).resolve().parent.parent

DESCRIPTION = """\
Resolves wanted.toml anew and writes deb.json, wheel.json, npm.json, sets.json and seed.json: the newest Debian packages
of bookworm main, the newest wheels that go together, the npm versions that wanted.toml names. Prints what changed.
Needs Debian 12 with fresh package lists (apt-get update), pip and npm.
"""

EPILOG = """\
With sets named, such as `pins/update wheel.dev`, the versions of all other wheels stay as they are.

Exit status: 0 done, or nothing to change; 1 a client failed; 2 usage or a wrong wanted.toml; 5 with --check: something
would change, or bytes do not match what a registry says of them.
"""


def resolve(old: Pinned, sets: Sequence[WantedSet], chosen: Sequence[WantedSet]) -> Pinned:
    """What is pinned after the ``chosen`` ones of all ``sets`` are resolved anew."""
    entries: dict[str, Entries] = {}
    members: dict[str, Members] = {}
    for kind in KINDS:
        anew = [each for each in chosen if each.kind == kind]
        kept = {
            each.name: old.members[kind][each.name]
            for each in sets
            if each.kind == kind and each not in anew and each.name in old.members[kind]
        }
        say(f"{kind}: resolving {', '.join(each.name for each in anew) or 'nothing'}")
        found, found_members = _resolve_kind(kind, anew, old.entries[kind], kept)
        members[kind] = {**kept, **found_members}
        pool = {**old.entries[kind], **found}
        entries[kind] = {name: pool[name] for names in members[kind].values() for name in names}
    measuring.add_sizes(entries["wheel"], old.entries["wheel"])
    seed = measuring.seed_sha256(entries["deb"], old.entries["deb"], old.seed["sha256"])
    return Pinned(entries, members, {"name": old.seed["name"], "sha256": seed})


def _resolve_kind(kind: str, anew: Sequence[WantedSet], old: Entries, kept: Members) -> tuple[Entries, Members]:
    if kind == "deb":
        return debs.resolve(anew)
    if kind == "npm":
        return npms.resolve(anew, old)
    return wheels.resolve(anew, {name: old[name] for names in kept.values() for name in names}, kept)


def _chosen(sets: Sequence[WantedSet], labels: Sequence[str]) -> list[WantedSet]:
    known = [each.label for each in sets]
    if unknown := sorted(set(labels) - set(known)):
        raise BadInputError(f"There is no set {', '.join(unknown)}. Known: {', '.join(known)}.")
    return [each for each in sets if not labels or each.label in labels]


def _update(labels: Sequence[str], check: bool) -> int:
    old, sets = pinned.load(PINS), wanted.load(PINS / "wanted.toml")
    new = resolve(old, sets, _chosen(sets, labels))
    lines = list(pinned.changes(old, new))
    print("\n".join(lines) or "nothing changes")
    if check:
        return WrongBytesError.exit_status if lines else 0
    pinned.write(new, PINS)
    return 0


def main() -> int:
    """Resolve, print what changed, and return the exit status."""
    made = argparse.ArgumentParser(
        prog="pins/update",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    made.add_argument("sets", nargs="*", metavar="KIND.SET", help="only these sets (all)")
    made.add_argument("--check", action="store_true", help="print what would change, write nothing; exit 5 if anything")
    arguments = made.parse_args()
    try:
        return _update(arguments.sets, arguments.check)
    except PinsError as error:
        say(f"pins/update: {error}")
        return error.exit_status
    except (OSError, subprocess.SubprocessError) as error:
        say(f"pins/update: {error}")
        return 1
