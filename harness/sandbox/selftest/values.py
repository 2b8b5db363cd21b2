"""What the self-test finds: vectors, their weakened twins, and both together."""

from typing import Literal

import attrs

State = Literal["held", "held by the watchdog", "not supported here", "broken"]


@attrs.frozen
class Vector:
    """One thing that a sandbox must not reach or change, and whether it could.

    ``group`` is the class of the threat model that it belongs to; ``detail`` says what was seen, for people.
    """

    name: str
    group: str
    state: State
    detail: str

    @property
    def held(self) -> bool:
        """Whether the sandbox may be trusted in this; also where the host has nothing of the kind."""
        return self.state != "broken"

    def to_json(self) -> dict[str, str | bool]:
        """As it stands in observed/ and in what ``doctor --sandbox --json`` prints."""
        return {
            "name": self.name,
            "class": self.group,
            "state": self.state,
            "held": self.held,
            "detail": self.detail,
        }


@attrs.frozen
class Twin:
    """The same probes where a wall was taken away on purpose: unless they say *broken* there, they can't fail."""

    name: str
    group: str
    detected: bool
    detail: str

    def to_json(self) -> dict[str, str | bool]:
        """As ``doctor --sandbox --json`` prints it."""
        return {"name": self.name, "class": self.group, "detected": self.detected, "detail": self.detail}


@attrs.frozen
class Report:
    """The full test. ``twins`` is empty where they were not asked for."""

    vectors: tuple[Vector, ...]
    twins: tuple[Twin, ...] = ()

    @property
    def broken(self) -> tuple[Vector, ...]:
        """The vectors that did not hold."""
        return tuple(one for one in self.vectors if not one.held)

    @property
    def undetected(self) -> tuple[Twin, ...]:
        """The twins that passed as sound."""
        return tuple(one for one in self.twins if not one.detected)
