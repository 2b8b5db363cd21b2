"""Which kills there are, in which folder and in which order: all of it follows from a seed."""

import random
from collections.abc import Sequence
from typing import Final

import attrs

from tests.durability.points import KINDS, STEPS, Point

#: Phases of a run for kills at random moments: seconds from the phase's first sign within which the moment lies.
PHASES: Final = {
    "begin": (0.0, 3.0),
    "first sandboxes": (0.0, 2.5),
    "playing": (2.0, 10.0),
    "keeping": (0.0, 0.06),
    "grading": (0.0, 0.06),
    "summing up": (0.0, 0.6),
}

#: What only the first start of a folder, or the last one, meets; all else is met in any order.
_FIRST: Final = ("task set", "manifest", "scorer", "begin")
_LAST: Final = ("summary", "summing up")


@attrs.frozen
class Kill:
    """At a named point, the ``count``-th time that it is met; or in a phase, so many ``seconds`` after its sign."""

    point: Point | None = None
    count: int = 1
    phase: str | None = None
    seconds: float = 0.0

    @property
    def name(self) -> str:
        """For the table."""
        return f"at random: {self.phase}" if self.point is None else str(self.point)


def schedule(seed: int, kills: int) -> list[list[Kill]]:
    """So many kills, a list for each folder.

    A folder has each kind of file once, at another step each: after its first file of some kinds there is no second.
    Half of 100 are named points, which then all come up; the others are spread over the phases.
    """
    chance = random.Random(seed)
    folders: list[list[Kill]] = [[] for _ in STEPS]
    for index, kind in enumerate(KINDS):
        offset = chance.randrange(len(STEPS)) if index else 0
        for number, folder in enumerate(folders):
            step = STEPS[(number + offset) % len(STEPS)]
            folder.append(Kill(Point(kind, step), count=_count(chance, kind)))
    named = sum(map(len, folders))
    for number in range(max(0, kills - named)):
        phase = list(PHASES)[number % len(PHASES)]
        folders[number % len(folders)].append(Kill(phase=phase, seconds=chance.uniform(*PHASES[phase])))
    return _fewer([_ordered(chance, folder) for folder in folders], kills, chance)


def _count(chance: random.Random, kind: str) -> int:
    """Blobs and scores are many: not always the first."""
    return chance.choice((1, 1, 2)) if kind in {"blob", "score", "judge", "done"} else 1


def _ordered(chance: random.Random, kills: Sequence[Kill]) -> list[Kill]:
    def key(kill: Kill) -> tuple[float, float]:
        what = kill.point.kind if kill.point else kill.phase
        if what in _FIRST:
            # each start of a folder comes to these, so that a later step of one comes after an earlier one
            return float(_FIRST.index(what)), chance.random()
        return (100.0 if what in _LAST else 50.0), chance.random()

    return sorted(kills, key=key)


def _fewer(folders: list[list[Kill]], kills: int, chance: random.Random) -> list[list[Kill]]:
    """So many of them, drawn, in as few folders as can be."""
    if kills >= sum(map(len, folders)):
        return folders
    chosen: list[list[Kill]] = []
    for folder in folders:
        left = kills - sum(map(len, chosen))
        if left <= 0:
            break
        drawn = set(chance.sample(range(len(folder)), min(left, len(folder))))
        chosen.append([kill for index, kill in enumerate(folder) if index in drawn])
    return chosen
