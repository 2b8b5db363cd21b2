"""One BabyVision puzzle as it is kept: what is asked, the right answer, and its image by digest."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import attrs

from harness.errors import CanonicalError
from harness.store.canonical import JSON, dumps, loads_strict
from harness.store.digests import Digest, digest
from harness.store.fields import Fields, text

if TYPE_CHECKING:
    from harness.benchmarks.babyvision.rows import Row  # what reads it takes long to import


@attrs.frozen
class Original:
    """An image before its lossless conversion: SHA-256 of the file, and Pillow's name of its format."""

    sha256: Digest
    format: str


@attrs.frozen
class Puzzle:
    """A row without its worked solution. ``image`` is the digest of the image as the agent gets it.

    ``original`` says what the image was converted from; None where it is kept as it came.
    """

    task_id: int
    type: str
    subtype: str
    question: str
    ans_type: str
    options: tuple[str, ...]
    gold: str = attrs.field(repr=False)
    image: Digest
    original: Original | None = None

    @classmethod
    def of(cls, row: "Row", image: Digest | None = None, original: Original | None = None) -> "Puzzle":
        """A row as it is kept; ``image`` where the row's own image was converted."""
        return cls(
            task_id=row.task_id,
            type=row.type,
            subtype=row.subtype,
            question=row.question,
            ans_type=row.ans_type,
            options=row.options if row.ans_type == "choice" else (),
            gold=row.gold,
            image=image or digest(row.image),
            original=original,
        )

    def to_json(self) -> dict[str, JSON]:
        """What decides a result: the item of the canonical task set."""
        return {
            "taskId": self.task_id,
            "type": self.type,
            "subtype": self.subtype,
            "image": self.image,
            "question": self.question,
            "options": self.options,
            "ansType": self.ans_type,
            "gold": self.gold,
        }


def task_set(puzzles: Iterable[Puzzle]) -> bytes:
    """What decides a result, as canonical JSON: each row without its worked solution, images by their own digest.

    The order of the rows and the file that they came from make no difference.
    """
    return dumps([puzzle.to_json() for puzzle in sorted(puzzles, key=lambda puzzle: puzzle.task_id)])


def task_set_digest(puzzles: Iterable[Puzzle]) -> Digest:
    """The digest of a task set."""
    return digest(task_set(puzzles))


def read_task_set(data: bytes) -> dict[str, Puzzle]:
    """The puzzles of a task set by their ids; raises CanonicalError for what `task_set` didn't write."""
    puzzles = Fields({"puzzles": loads_strict(data)}, "the task set").items("puzzles", _from_task_set)
    if task_set(puzzles) != data or len({puzzle.task_id for puzzle in puzzles}) != len(puzzles):
        raise CanonicalError("It is not as this version of the harness writes one.")
    return {str(puzzle.task_id): puzzle for puzzle in puzzles}


def to_stored(puzzle: Puzzle) -> dict[str, JSON]:
    """A puzzle as the installed data set has it."""
    original = puzzle.original
    return {**puzzle.to_json(), "original": None if original is None else attrs.asdict(original)}


def from_stored(value: JSON) -> Puzzle:
    """Reads what `to_stored` wrote; raises CanonicalError for all else."""
    fields = Fields(value, "a puzzle")
    converted = fields.any("original")
    return _puzzle(fields, None if converted is None else _original(converted))


def _from_task_set(value: JSON) -> Puzzle:
    return _puzzle(Fields(value, "a puzzle"), None)


def _puzzle(fields: Fields, original: Original | None) -> Puzzle:
    puzzle = Puzzle(
        task_id=fields.integer("taskId"),
        type=fields.text("type"),
        subtype=fields.text("subtype"),
        question=fields.text("question"),
        ans_type=fields.text("ansType"),
        options=fields.items("options", text),
        gold=fields.text("gold"),
        image=fields.digest("image"),
        original=original,
    )
    fields.end()
    if puzzle.ans_type not in {"choice", "blank"}:
        raise CanonicalError("The field 'ansType' of a puzzle must be choice or blank.")
    return puzzle


def _original(value: JSON) -> Original:
    fields = Fields(value, "a converted image")
    original = Original(fields.digest("sha256"), fields.text("format"))
    fields.end()
    return original
