"""The three ways a pin takes: registry to folder, folder to store, or both."""

import os
from collections.abc import Sequence
from pathlib import Path

from fetching import downloads, files, nixstore
from fetching.catalog import Catalog, Pin
from fetching.problems import HostUnfitError, PinsError
from fetching.progress import say


def to_folder(pins: Sequence[Pin], folder: Path, jobs: int) -> list[PinsError]:
    """Download what ``folder`` lacks; returns what could not be had."""
    problems = downloads.download(pins, folder, jobs)
    if not problems:
        say(f"{folder} holds all {len(pins)} files")
    return problems


def from_folder(catalog: Catalog, folder: Path) -> list[PinsError]:
    """Put into the store what it lacks, out of ``folder``; returns a problem for each file that is wrong or missing."""
    if not folder.is_dir():
        raise HostUnfitError(f"There is no folder {folder}. Name one that `pins/fetch --to DIR` has filled.")
    missing, lacks_seed = nixstore.missing(catalog)
    wanted = {*missing, catalog.seed_pin} if lacks_seed else set(missing)
    good: dict[Pin, Path] = {}
    problems: list[PinsError] = []
    for pin, paths in files.index(folder, wanted).items():
        right = next((path for path in paths if files.is_right(path, pin)), None)
        if right:
            good[pin] = right
        elif paths:
            problems.append(files.refuse(paths[0], pin, str(paths[0].parent)))
        elif pin in missing:
            problems.append(HostUnfitError(f"{pin.file} is neither in the Nix store nor below {folder}."))
    nixstore.add([(pin, good[pin]) for pin in missing if pin in good])
    if lacks_seed and (catalog.seed_pin in good or catalog.seed_pin not in missing):
        nixstore.add_seed(catalog, good.get(catalog.seed_pin, Path(catalog.seed_pin.path)))
    return problems


def into_store(catalog: Catalog, jobs: int) -> list[PinsError]:
    """Download what the store lacks into a cache folder, and put it into the store from there."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hermetic-harness" / "pins"
    missing, lacks_seed = nixstore.missing(catalog)
    if not missing and not lacks_seed:
        return []
    problems = downloads.download(missing, cache, jobs) if missing else []
    kept = [pin for pin in missing if (cache / pin.file).exists()]
    nixstore.add([(pin, cache / pin.file) for pin in kept])
    if lacks_seed and not any(pin == catalog.seed_pin for pin in missing if pin not in kept):
        nixstore.add_seed(catalog, Path(catalog.seed_pin.path))
    for pin in kept:
        (cache / pin.file).unlink()
    return problems


def disk_trouble(error: OSError) -> PinsError:
    """The error for a disk that is full, or for another failure of the file system."""
    what = f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror)
    return HostUnfitError(f"{what}. The pins take about 350 MB in their folder, and as much in the store.")
