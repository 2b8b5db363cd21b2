"""Reads pins/*.json: names, versions and digests of every file that came from outside."""

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal, get_args

import attrs
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from harness.errors import HostUnfitError

Kind = Literal["deb", "wheel", "npm"]
KINDS: tuple[Kind, ...] = get_args(Kind)

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
# What Nix allows in the name of a store path; it may not start with a dot.
StoreName = Annotated[str, Field(pattern=r"^[0-9a-zA-Z+\-_?=][0-9a-zA-Z+\-._?=]*$")]


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class Pin(_Strict):
    """One file: ``file`` is its name as its registry delivers it, ``store`` its name in Nix; size in bytes."""

    name: str
    version: str
    file: str
    store: StoreName
    size: Annotated[int, Field(gt=0)]
    sha256: Sha256
    arch: Literal["amd64", "all"] | None = None


class Seed(_Strict):
    """The folder with the first executable that derivations run; ``sha256`` is of its NAR."""

    name: StoreName
    sha256: Sha256


_ENTRIES = TypeAdapter(dict[str, Pin])
_SETS = TypeAdapter(dict[Kind, dict[str, list[str]]])


@attrs.frozen
class Pins:
    """All pins by kind and name, and the names in each set."""

    entries: Mapping[Kind, Mapping[str, Pin]]
    sets: Mapping[Kind, Mapping[str, list[str]]]
    seed: Seed

    def __iter__(self) -> Iterator[tuple[Kind, Pin]]:
        """Every pin with its kind."""
        return ((kind, pin) for kind in KINDS for pin in self.entries[kind].values())

    @property
    def sha256(self) -> str:
        """One digest for all, over the sorted lines ``KIND NAME VERSION SHA256`` and, last, ``seed NAME SHA256``."""
        lines = sorted(f"{kind} {pin.name} {pin.version} {pin.sha256}\n" for kind, pin in self)
        lines.append(f"seed {self.seed.name} {self.seed.sha256}\n")
        return hashlib.sha256("".join(lines).encode()).hexdigest()


def read(folder: Path) -> Pins:
    """The pins in a folder with deb.json, wheel.json, npm.json, sets.json and seed.json.

    Raises:
        HostUnfitError: a file is missing or not of the right form, or a set names what is not pinned.
    """
    try:
        entries = {kind: _ENTRIES.validate_json((folder / f"{kind}.json").read_bytes()) for kind in KINDS}
        sets = _SETS.validate_json((folder / "sets.json").read_bytes())
        seed = Seed.model_validate_json((folder / "seed.json").read_bytes())
    except (OSError, ValidationError) as error:
        raise HostUnfitError(f"The pins in {folder} can't be read: {error}.", "Take the repository's own.") from error
    for kind, named in sets.items():
        for name, members in named.items():
            if strangers := set(members) - set(entries[kind]):
                raise HostUnfitError(
                    f"The {kind} set {name} in {folder} names {sorted(strangers)}, which {kind}.json lacks."
                )
    return Pins(entries, sets, seed)
