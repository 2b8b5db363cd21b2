"""wanted.toml: the sets, what each wants and why, and what it leaves out and why."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fetching.catalog import KINDS
from fetching.problems import BadInputError


@dataclass(frozen=True, slots=True)
class WantedSet:
    """``want`` and ``without`` map names to reasons; ``on`` names a set of the same kind that this one stands on."""

    kind: str
    name: str
    want: Mapping[str, str]
    without: Mapping[str, str] = field(default_factory=dict)
    on: str | None = None

    @property
    def label(self) -> str:
        """KIND.SET, as it is named on the command line."""
        return f"{self.kind}.{self.name}"


def load(path: Path) -> list[WantedSet]:
    """The sets in the order of the file.

    Raises:
        BadInputError: the file is not of the right form, or a thing has no reason.
    """
    try:
        table = tomllib.loads(path.read_text())
        sets = [WantedSet(kind, name, **fields) for kind, named in table.items() for name, fields in named.items()]
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise BadInputError(f"{path} can't be read: {error}.") from error
    for each in sets:
        _check(each, {other.name for other in sets if other.kind == each.kind})
    return sets


def _check(wanted: WantedSet, names: set[str]) -> None:
    if wanted.kind not in KINDS:
        raise BadInputError(f"{wanted.label}: there is no kind {wanted.kind!r}; known are {', '.join(KINDS)}.")
    if wanted.on is not None and wanted.on not in names:
        raise BadInputError(f"{wanted.label} stands on {wanted.on!r}, which is no {wanted.kind} set.")
    for name, reason in [*wanted.want.items(), *wanted.without.items()]:
        if not isinstance(reason, str) or not reason.strip():
            raise BadInputError(f"{wanted.label}: {name} has no reason.")
