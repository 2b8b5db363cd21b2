"""The command line of pins/fetch."""

import argparse
import dataclasses
import sys
from pathlib import Path

from fetching import nixstore, steps
from fetching.catalog import Catalog, load
from fetching.problems import BadInputError, HostUnfitError, PinsError, worst
from fetching.progress import say

PINS = Path(__file__).resolve().parent.parent
INTERRUPTED = 130

DESCRIPTION = """\
Gets each pinned file that the Nix store lacks, through this machine's own clients (apt-get download, pip download,
npm pack), checks size and sha256, and adds it to the store. Says nothing and takes no time if nothing is lacking.
"""

EPILOG = """\
Clients belong to one user and the store to another, or the machine has no network:
  pins/fetch --check > missing.txt                    as the store's owner
  pins/fetch --to DIR --only missing.txt              as the user with the clients, or on another machine
  pins/fetch --from DIR                               as the store's owner

A fetch that was interrupted goes on where it was: whole files are kept, in DIR or in ~/.cache/hermetic-harness/pins.

Exit status: 0 all there; 1 a download failed; 2 usage; 4 a client, Nix or a pin is missing; 5 wrong bytes;
130 interrupted.
"""


def parser() -> argparse.ArgumentParser:
    """The arguments."""
    made = argparse.ArgumentParser(
        prog="pins/fetch",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    mode = made.add_mutually_exclusive_group()
    mode.add_argument(
        "--from", dest="source", type=Path, metavar="DIR", help="take the files from below DIR, call no client"
    )
    mode.add_argument(
        "--to", dest="target", type=Path, metavar="DIR", help="download into DIR what it lacks, leave the store alone"
    )
    mode.add_argument("--check", action="store_true", help="list the files that the store lacks; exit 4 if any")
    made.add_argument("--only", metavar="FILE", help="with --to: only the files listed in FILE (- is standard input)")
    made.add_argument("--jobs", type=int, default=4, metavar="N", help="clients at work at once (4)")
    return made


def _narrowed(catalog: Catalog, only: str | None) -> Catalog:
    if only is None:
        return catalog
    try:
        text = sys.stdin.read() if only == "-" else Path(only).read_text()
    except OSError as error:
        raise BadInputError(f"{only} can't be read: {error.strerror}.") from error
    return dataclasses.replace(catalog, pins=catalog.named(text.split()))


def _check(catalog: Catalog) -> list[PinsError]:
    missing, lacks_seed = nixstore.missing(catalog)
    wanted = {*missing, catalog.seed_pin} if lacks_seed else set(missing)
    for name in sorted(pin.file for pin in wanted):
        print(name)
    if not wanted:
        return []
    return [HostUnfitError(f"{len(wanted)} pinned files are not in the Nix store: run pins/fetch.")]


def _run(arguments: argparse.Namespace) -> list[PinsError]:
    catalog = load(PINS)
    if arguments.check:
        return _check(catalog)
    if arguments.target:
        return steps.to_folder(_narrowed(catalog, arguments.only).pins, arguments.target, arguments.jobs)
    if arguments.source:
        return steps.from_folder(catalog, arguments.source)
    return steps.into_store(catalog, arguments.jobs)


def main() -> int:
    """Run, print each problem on standard error, and return the exit status."""
    made = parser()
    arguments = made.parse_args()
    if arguments.only and not arguments.target:
        made.error("--only goes with --to")
    if arguments.jobs < 1:
        made.error("--jobs needs a number from 1 on")
    try:
        problems = _run(arguments)
    except PinsError as error:
        problems = [error]
    except OSError as error:
        problems = [steps.disk_trouble(error)]
    except KeyboardInterrupt:
        say("interrupted; the same command goes on from here")
        return INTERRUPTED
    for problem in problems:
        say(f"pins/fetch: {problem}")
    return worst(problems)
