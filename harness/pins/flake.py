"""The flake that this harness is built from: its source in the store, and what it evaluates to."""

import json
from pathlib import Path

from harness.errors import HarnessError, UsageError
from harness.pins import nix, storepaths

_PACKAGES = "packages.x86_64-linux"


def source(folder: Path) -> Path:
    """The store path of a folder's source as Nix sees it: of a git checkout the tracked files as they stand.

    Raises UsageError where there is no flake, HarnessError with what Nix says, HostUnfitError without Nix.
    """
    folder = folder.resolve()
    if not (folder / "flake.nix").is_file():
        raise UsageError(f"{folder} is no source of this harness: it has no flake.nix. Name one with --source DIR.")
    if storepaths.top(folder) == folder:
        return folder
    found = json.loads(nix.command("flake", "metadata", "--json", str(folder)))
    path = found.get("path") if isinstance(found, dict) else None
    if not isinstance(path, str):
        raise HarnessError("`nix flake metadata` named no path.")
    storepaths.hash_part(path)
    return Path(path)


def package(flake: Path, name: str) -> Path:
    """The store path of one of the packages of a source in the store, which need not be built."""
    path = nix.command("eval", "--raw", f"path:{flake}#{_PACKAGES}.{name}.outPath")
    storepaths.hash_part(path)
    return Path(path)


def build(flake: Path, name: str) -> Path:
    """The same, built where it was not."""
    path = package(flake, name)
    nix.command("build", "--no-link", f"path:{flake}#{_PACKAGES}.{name}")
    return path
