"""The pins as they stand in deb.json, wheel.json, npm.json and seed.json."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from fetching import storepath
from fetching.problems import BadInputError

KINDS = ("deb", "wheel", "npm")
SEED_PACKAGE = "busybox-static"


@dataclass(frozen=True, slots=True)
class Pin:
    """One file: ``file`` is its name as its client delivers it, ``store`` its name in the Nix store; size in bytes."""

    kind: str
    name: str
    version: str
    file: str
    store: str
    size: int
    sha256: str

    @property
    def path(self) -> str:
        """Its path in the Nix store."""
        return storepath.of_file(self.store, self.sha256, storepath.store_folder())


@dataclass(frozen=True, slots=True)
class Seed:
    """The folder with the first executable, which is cut out of the pinned busybox-static; sha256 of its NAR."""

    name: str
    sha256: str

    @property
    def path(self) -> str:
        """Its path in the Nix store."""
        return storepath.of_tree(self.name, self.sha256, storepath.store_folder())


@dataclass(frozen=True, slots=True)
class Catalog:
    """Everything that is pinned."""

    pins: tuple[Pin, ...]
    seed: Seed

    @property
    def seed_pin(self) -> Pin:
        """The Debian package that the seed is cut out of."""
        return next(pin for pin in self.pins if pin.kind == "deb" and pin.name == SEED_PACKAGE)

    def named(self, files: Iterable[str]) -> tuple[Pin, ...]:
        """The pins with these file names.

        Raises:
            BadInputError: no pin has that file name.
        """
        wanted = {name for name in files if name}
        unknown = wanted - {pin.file for pin in self.pins}
        if unknown:
            raise BadInputError(f"No pin has the file name {', '.join(sorted(unknown))}.")
        return tuple(pin for pin in self.pins if pin.file in wanted)


def load(folder: Path) -> Catalog:
    """The catalogue of a pins/ folder.

    Raises:
        BadInputError: a file is missing or not of the right form.
    """
    try:
        seed = Seed(**json.loads((folder / "seed.json").read_text()))
        entries = {kind: json.loads((folder / f"{kind}.json").read_text()).values() for kind in KINDS}
        return Catalog(tuple(_pin(kind, entry) for kind in KINDS for entry in entries[kind]), seed)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise BadInputError(f"The pins in {folder} can't be read: {error!r}. Take the repository's own.") from error


def _pin(kind: str, entry: dict[str, object]) -> Pin:
    fields = {name: entry[name] for name in ("name", "version", "file", "store", "size", "sha256")}
    return Pin(kind, **fields)  # type: ignore[arg-type]  # the form is checked by tests/pins
