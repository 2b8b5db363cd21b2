"""The scripted policy: what it says next, decided from nothing but the conversation and the pixels in it."""

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import attrs
import numpy as np
from numpy.typing import NDArray

from harness.benchmarks.demo import look
from harness.benchmarks.demo.conversation import Conversation
from harness.benchmarks.demo.draw import Picture
from harness.benchmarks.demo.kind import Box, Kind, Part
from harness.benchmarks.demo.puzzles import KINDS, MARK_AT, MARK_SIDE, MARKS, Intended

CROP: Final = "crop.png"
# A question that needs no tools, and is no puzzle.
PLAIN: Final = "What colour is this picture?"

# Both run in the sandbox, in the folder of the picture.
_MEASURE: Final = """\
python3 - <<'END'
{source}
import json
print(json.dumps(parts(cv2.imread("{file}"))))
END"""
_CUT: Final = """\
python3 - <<'END'
import cv2
picture = cv2.imread("{file}")
cv2.imwrite("{crop}", picture[{top}:{bottom}, {left}:{right}])
END"""


@attrs.frozen
class Reply:
    """One turn: text, and a tool call as name and arguments, or None where the talk ends."""

    text: str
    tool: tuple[str, Mapping[str, str]] | None = None


def reply(talk: Conversation) -> Reply:
    """Measure with code, cut out what matters, look at it, answer. Where something is missing it says so, unboxed."""
    steps: Sequence[Callable[[Conversation], Reply]] = (_measure, _cut, _look, _answer)
    try:
        if talk.prompt.startswith(PLAIN):
            return _colour(talk)
        return steps[min(talk.said, len(steps) - 1)](talk)
    except ValueError as error:
        return Reply(f"I can't tell: {error}.")


def _colour(talk: Conversation) -> Reply:
    """The ink that covers most of the picture."""
    return Reply(f"It is {_commonest(look.inks(talk.picture(0)))}.")


def _measure(talk: Conversation) -> Reply:
    _puzzle(talk)
    command = _MEASURE.format(source=inspect.getsource(look), file=talk.file)
    return Reply("First I measure the parts of the picture.", ("bash", _shell(talk, command)))


def _cut(talk: Conversation) -> Reply:
    box = _box(talk)
    command = _CUT.format(
        file=talk.file, crop=CROP, left=box.x, top=box.y, right=box.x + box.width, bottom=box.y + box.height
    )
    return Reply("I cut out what matters.", ("bash", _shell(talk, command)))


def _look(talk: Conversation) -> Reply:
    return Reply("I look at it.", ("read", {"filePath": f"{talk.folder}/{CROP}"}))


def _answer(talk: Conversation) -> Reply:
    kind, question = _puzzle(talk)
    box, seen = _box(talk), _measured(talk)
    shown = [part.moved(box.x, box.y) for part in _parts(look.parts(talk.picture(1)))]
    if {part for part in seen if part.inside(box)} != {part for part in shown if part.inside(box)}:
        raise ValueError("the crop doesn't show what was measured")
    answer = kind.solve(question, seen, shown)
    match _mark(talk.picture(0)):
        case "silent":
            return Reply("")
        case "wrong":
            answer = _other(answer)
    return Reply(f"The crop shows what was measured. The answer is \\boxed{{{answer}}}.")


def _shell(talk: Conversation, command: str) -> Mapping[str, str]:
    return {"command": command, "description": "Measures the picture", "workdir": talk.folder}


def _puzzle(talk: Conversation) -> tuple[Kind, str]:
    """The kind of puzzle and the line that asks it."""
    for line in talk.prompt.splitlines():
        for kind in KINDS:
            if line.startswith(kind.asks):
                return kind, line
    raise ValueError("no puzzle of a kind that I know")


def _box(talk: Conversation) -> Box:
    kind, question = _puzzle(talk)
    return kind.crop(question, _measured(talk))


def _measured(talk: Conversation) -> list[Part]:
    """What the shell printed; ValueError if it is anything else than a list of parts."""
    if not talk.tool_results:
        raise ValueError("nothing was measured")
    try:
        return _parts(json.loads(talk.tool_results[0]))
    except (TypeError, ValueError):
        raise ValueError("the measurement is no list of parts") from None


def _parts(found: Sequence[Sequence[object]]) -> list[Part]:
    """Parts without the marks. Raises TypeError where they have another form."""
    parts = [Part(str(ink), *map(_whole, numbers)) for ink, *numbers in found]
    if not parts:
        raise ValueError("the picture is empty")
    return [part for part in parts if part.ink not in MARKS]


def _whole(number: object) -> int:
    if not isinstance(number, int):
        raise TypeError(f"{number!r} is no whole number")
    return number


def _mark(picture: Picture) -> Intended:
    """What the mark in the picture's corner makes the policy do."""
    x, y = (at + MARK_SIDE // 4 for at in MARK_AT)
    spot = look.inks(picture[y : y + MARK_SIDE // 2, x : x + MARK_SIDE // 2])
    return MARKS.get(_commonest(spot), "right")


def _commonest(inks: NDArray[np.intp]) -> str:
    return list(look.PALETTE)[np.bincount(inks.ravel()).argmax()]


def _other(answer: str) -> str:
    """A wrong answer of the same form: the next letter, a number more, a column further."""
    if answer.isalpha():
        return "ABCD"[("ABCD".index(answer) + 1) % 4]
    head, comma, last = answer.rstrip(")").rpartition(",")
    return f"{head}{comma}{int(last) + 1}{')' if comma else ''}"
