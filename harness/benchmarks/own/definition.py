"""What the file of one's own benchmark makes: its tasks, and the benchmark with its rule.

Wrong values raise ValueError or TypeError here: whoever reads the file tells them by its line.
"""

import functools
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeAlias, TypeVar

import attrs

from harness.benchmarks.babyvision.names import NAMES
from harness.benchmarks.base import NAME
from harness.benchmarks.own.taskset import ID
from harness.errors import nearest
from harness.grading.own import Rule

#: From the prompt and the images' bytes to the text that a scripted model answers.
Scripted: TypeAlias = Callable[[str, Sequence[bytes]], str]
Made = TypeVar("Made", bound=attrs.AttrsInstance)

TEXT_MAX: Final = 100_000  # characters; BabyVision's longest question has 450
IMAGES_MAX: Final = 16  # of one task


def _text(least: int = 1) -> Any:
    def check(_: object, attribute: "attrs.Attribute[str]", value: object) -> None:
        name = attribute.name
        if not isinstance(value, str):
            raise TypeError(f"{name} must be text, not {type(value).__name__}")
        if len(value) < least:
            raise ValueError(f"{name} is empty")
        if len(value) > TEXT_MAX:
            raise ValueError(f"{name} has {len(value):,} characters; at most {TEXT_MAX:,} are taken")
        if "\0" in value or any("\ud800" <= sign <= "\udfff" for sign in value):
            raise ValueError(f"{name} holds a zero byte or half a character")

    return check


def _formed(form: re.Pattern[str], words: str) -> Any:
    def check(_: object, attribute: "attrs.Attribute[str]", value: object) -> None:
        if not isinstance(value, str) or form.fullmatch(value) is None:
            raise ValueError(f"{attribute.name} is {value!r:.100}; it must be {words}")

    return check


def _images(given: Iterable[bytes]) -> tuple[bytes, ...]:
    images = tuple(given)
    if not all(isinstance(image, bytes) for image in images):
        raise TypeError("images must be a list of the bytes of image files: [path.read_bytes()]")
    if len(images) > IMAGES_MAX:
        raise ValueError(f"there are {len(images)} images; at most {IMAGES_MAX} are taken")
    return images


def _named(made: type[Made]) -> type[Made]:
    """Have a class say which of its fields may be meant by a name that it doesn't know."""
    begin, names = made.__init__, [field.name for field in attrs.fields(made)]

    @functools.wraps(begin)
    def begun(self: Made, *values: object, **given: object) -> None:
        for name in given:
            if name not in names:
                hint = nearest(name, names) or f"Known: {', '.join(names)}."
                raise TypeError(f"{made.__name__} has no field {name!r}. {hint}")
        begin(self, *values, **given)

    made.__init__ = begun  # type: ignore[method-assign,assignment]
    return made


@_named
@attrs.frozen(kw_only=True)
class Task:
    """One task.

    Args:
        id: 1 to 100 ASCII letters, digits and ``._-``, the first a letter or digit; unique in the benchmark.
        question: what is asked; 1 to 100,000 characters.
        gold: the right answer, for the rule or the judge alone; the same length.
        images: the bytes of at most 16 PNG, JPEG, WebP or GIF files (BMP and TIFF become PNG), each of at most 32 MiB,
            12 million pixels and 16,384 pixels a side.
        type, subtype: groups for which results are summed up; a subtype needs a type.

    Raises:
        ValueError or TypeError: a value has another form.
    """

    id: str = attrs.field(validator=_formed(ID, "1 to 100 letters, digits and ._-, the first a letter or digit"))
    question: str = attrs.field(validator=_text())
    gold: str = attrs.field(validator=_text(), repr=False)
    images: tuple[bytes, ...] = attrs.field(default=(), repr=False, converter=_images)
    type: str = attrs.field(default="", validator=_text(0))
    subtype: str = attrs.field(default="", validator=_text(0))

    def __attrs_post_init__(self) -> None:
        if self.subtype and not self.type:
            raise ValueError("subtype is given without type")


@_named
@attrs.frozen(kw_only=True)
class Benchmark:
    """A benchmark: a file keeps it under the name ``benchmark``.

    Args:
        name: 1 to 64 small ASCII letters, digits, ``-`` and ``_``; none of the harness's own benchmarks.
        tasks: gives the tasks, each time the same ones in the same order; called only where they are played.
        instruction: stands before each question; the agent gets both, then the images.
        grade: from the model's final text and the right answer to a number from 0 to 1: equal arguments give equal
            numbers. None has the LLM judge compare them.
        demo: the words of the scripted model that ``--demo`` plays against: from prompt and images to its answer.

    Raises:
        ValueError or TypeError: a value has another form.
    """

    name: str = attrs.field(validator=_formed(NAME, "1 to 64 small letters, digits, - and _"))
    tasks: Callable[[], Iterable[Task]] = attrs.field(validator=attrs.validators.is_callable())
    instruction: str = attrs.field(default="", validator=_text(0))
    grade: Rule | None = attrs.field(default=None, validator=attrs.validators.optional(attrs.validators.is_callable()))
    demo: Scripted | None = attrs.field(
        default=None, validator=attrs.validators.optional(attrs.validators.is_callable())
    )

    def __attrs_post_init__(self) -> None:
        if self.name in NAMES:
            raise ValueError(f"name is {self.name!r}, which is a benchmark of the harness")
