"""The very harness that made a run: the one that runs, or one out of the store, a bundle, or its source."""

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Literal

import attrs

from harness.errors import CheckFailedError, HostUnfitError, UsageError
from harness.pins import flake, nar, storepaths
from harness.run.reproduce import bundles
from harness.store.provenance import Part, Start

Where = Literal["this", "store", "bundle", "source"]

# How the package of every release is called: a record that names another store path is not believed.
_NAME: Final = "-hermetic-harness"

Say = Callable[[str], None]


@attrs.frozen
class Found:
    """A harness: its store path (None where it runs out of none), where it was found, and its command.

    ``proven``: how many store paths of its closure have the digests that the record names; 0 where it names none.
    """

    package: Path | None
    where: Where
    command: tuple[str, ...]
    proven: int


@attrs.frozen(kw_only=True)
class Means:
    """What a person gives to find it by: a bundle, a folder with its source, or that this harness is to do it."""

    bundle: Path | None = None
    source: Path | None = None
    this: bool = False


def maker(starts: Sequence[Start]) -> Start | None:
    """The last start whose harness is known: it is the one that goes on with a run."""
    return next((start for start in reversed(starts) if start.harness), None)


def find(made: Start | None, means: Means, folder: Path, say: Say) -> Found:
    """The harness of a start; ``folder`` is where a bundle is unpacked and its links come to stand.

    Raises:
        HostUnfitError: it is not here, and nothing was given to get it by. UsageError: what was given leads to another
        one. CheckFailedError: a store path doesn't have the digest of the record.
    """
    own = storepaths.top(Path(storepaths.__file__))
    this = (sys.executable, "-I", "-m", "harness.cli")
    if means.this:
        return Found(own, "this", this, 0)
    if made is None or made.harness is None:
        raise HostUnfitError(
            "The record does not say which harness made the run: that one ran out of no Nix store, or is too old.",
            "To do it with this harness, whichever that was: --this-harness",
        )
    wanted, parts = _checked(made.harness), _parts(made.harness, made.closure)
    command = (str(wanted / "bin/harness"),)
    if _there([wanted, *(Path(part.path) for part in parts)]):
        try:
            proven = prove(parts, say)
            return Found(wanted, "this", this, proven) if wanted == own else Found(wanted, "store", command, proven)
        except CheckFailedError:
            if means.bundle is None:  # of a copy that was killed, the installer makes a whole one
                raise
    if means.bundle is not None:
        bundles.install(means.bundle, wanted, folder, say)
        return Found(wanted, "bundle", command, prove(parts, say))
    if means.source is not None:
        _build(means.source, wanted, say)
        return Found(wanted, "source", command, prove(parts, say))
    raise HostUnfitError(
        f"The harness that made the run is not in this store: {wanted}.",
        "Give what has it: --bundle FILE, or --source DIR (a checkout of its commit, whose pins are in the store). To "
        "do it with this harness all the same: --this-harness",
    )


def prove(parts: Sequence[Part], say: Say) -> int:
    """Hash each store path and hold it against the record; how many. Raises CheckFailedError."""
    if parts:
        say(f"hashing the {len(parts)} store paths of the harness that made the run")
    for part in parts:
        try:
            found = nar.digest(Path(part.path))
        except OSError as error:
            raise CheckFailedError(f"{part.path} can't be read: {error.strerror or error}.") from error
        if found != part.nar_sha256:
            raise CheckFailedError(
                f"{part.path} is not what the run was made with: its NAR has the SHA-256 {found}, the record says "
                f"{part.nar_sha256}. Was it changed? nix-store --verify --check-contents --repair"
            )
    return len(parts)


def _checked(harness: str) -> Path:
    """A store path that may be run: the record is another's."""
    storepaths.hash_part(harness)
    if not harness.endswith(_NAME):
        raise UsageError(f"The record names {harness} as the harness that made it, which is the name of none.")
    return Path(harness)


def _parts(harness: str, closure: Sequence[Part]) -> tuple[Part, ...]:
    """The store paths that the record has digests of, each once: nothing else is read, and the harness is among them.

    Raises HarnessError for what is no store path.
    """
    parts = tuple(dict.fromkeys(closure))
    for part in parts:
        storepaths.hash_part(part.path)
    if parts and harness not in {part.path for part in parts}:
        raise CheckFailedError(
            f"The record has digests of {len(parts)} store paths, but none of {harness}, by which it "
            "says that it was made."
        )
    return parts


def _there(paths: Sequence[Path]) -> bool:
    return all(os.path.lexists(path) for path in paths)


def _build(source: Path, wanted: Path, say: Say) -> None:
    tree = flake.source(source)
    built = flake.package(tree, "harness")
    if built != wanted:
        raise UsageError(
            f"{source} is the source of another harness ({built}) than the one that made the run ({wanted}). Check out "
            "its commit."
        )
    say(f"building {wanted} from {source}")
    flake.build(tree, "harness")
