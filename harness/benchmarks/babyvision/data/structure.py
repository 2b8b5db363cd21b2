"""What the whole data set looks like; a file of another make-up is not BabyVision."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

import attrs

from harness.benchmarks.babyvision.puzzle import Puzzle
from harness.errors import UsageError


@attrs.frozen
class Structure:
    """How many rows of each kind there must be."""

    types: Mapping[str, int]
    kinds: Mapping[str, int]
    subtypes: int

    @property
    def rows(self) -> int:
        return sum(self.types.values())


# The authors' figures (arXiv 2601.06521, and counted in the data of commit 7f92fd4b).
BABYVISION: Final = Structure(
    types={
        "Fine-grained Discrimination": 163,
        "Spatial Perception": 91,
        "Visual Tracking": 83,
        "Visual Pattern Recognition": 51,
    },
    kinds={"choice": 135, "blank": 253},
    subtypes=22,
)


def check_structure(name: str, puzzles: Iterable[Puzzle], structure: Structure) -> None:
    """Raise UsageError, which names the field and both figures, if the puzzles of file ``name`` don't fit."""
    known = tuple(puzzles)
    if len(known) != structure.rows:
        raise UsageError(f"{name} has {len(known):,} rows; BabyVision has {structure.rows}.")
    _check(name, "type", Counter(puzzle.type for puzzle in known), structure.types)
    _check(name, "ansType", Counter(puzzle.ans_type for puzzle in known), structure.kinds)
    subtypes = len({puzzle.subtype for puzzle in known})
    if subtypes != structure.subtypes:
        raise UsageError(f"{name}: subtype has {subtypes} different values; BabyVision has {structure.subtypes}.")


def _check(name: str, field: str, found: Mapping[str, int], wanted: Mapping[str, int]) -> None:
    for value in sorted({*found, *wanted}):
        if found.get(value, 0) != wanted.get(value, 0):
            has, must = found.get(value, 0), wanted.get(value, 0)
            raise UsageError(f"{name}: {has} rows have {field} {value[:100]!r}; BabyVision has {must}.")
