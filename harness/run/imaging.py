"""The harness as one file for machines without /nix: which store paths go into it."""

import os
from collections.abc import Mapping
from pathlib import Path

import attrs

from harness.pins import storepaths
from harness.store.bundle.bundling import Bundled, whole
from harness.store.nodeimage import writing


@attrs.frozen
class Wanted:
    """What the image is to hold: this very harness with all that it refers to; ``size`` in bytes."""

    harness: str
    paths: tuple[str, ...]
    size: int


def gather() -> Wanted:
    """Raises HostUnfitError where this harness doesn't run out of Nix's store, HarnessError for what Nix said."""
    harness = storepaths.own()
    closure = storepaths.closure([harness])
    return Wanted(str(harness), tuple(each.path for each in closure), sum(each.nar_size for each in closure))


def write(wanted: Wanted, target: Path, env: Mapping[str, str] = os.environ) -> Bundled:
    """Write it to ``target``; raises as `writing.write` and `whole` do."""
    tools = writing.tools_of(env)
    return whole(target, wanted.size, lambda path: writing.write(wanted.paths, wanted.harness, tools, path))
