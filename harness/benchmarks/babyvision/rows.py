"""One BabyVision puzzle as the data has it: what comes from outside, in the schema of the authors' own data."""

import math
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic.alias_generators import to_camel

from harness.benchmarks.babyvision.question import letter
from harness.errors import UsageError
from harness.store.usual import INT_MAX

# The longest question has 450 characters; the bound is against files that are made to fill memory.
Text = Annotated[str, Field(min_length=1, max_length=100_000)]


_OTHERS: Final[Mapping[str, tuple[str, ...]]] = {
    "blank": ("choiceAns", "choice_ans", "options"),
    "choice": ("blankAns", "blank_ans"),
}


class Row(BaseModel):
    """A row as the data has it, with the bytes of its image. ``co_t`` (a worked solution) is read and never used.

    ``choice_ans`` is an index into ``options`` from 0, for a puzzle of kind ``choice``; ``blank_ans`` is text, for
    one of kind ``blank``. What belongs to the other kind is passed over. Fields that are not known are, too.

    Raises:
        pydantic.ValidationError: a field is missing, of the wrong type, or at odds with ``ans_type``.
    """

    model_config = ConfigDict(frozen=True, strict=True, alias_generator=to_camel, populate_by_name=True)

    task_id: int = Field(ge=0, le=INT_MAX)
    type: Text
    subtype: Text
    image: bytes = Field(min_length=1, repr=False)
    question: Text
    ans_type: Literal["choice", "blank"]
    options: tuple[str, ...] = Field(default=(), strict=False)
    choice_ans: int | None = None
    blank_ans: str | None = None
    co_t: str | None = Field(default=None, repr=False)

    @model_validator(mode="before")
    @classmethod
    def _only_its_kind(cls, fields: object) -> object:
        """Copies differ in how they write the answer of the kind that a puzzle isn't: null, "", "null", 0."""
        if not isinstance(fields, Mapping):
            return fields
        kind = fields.get("ansType", fields.get("ans_type"))
        return {name: value for name, value in fields.items() if name not in _OTHERS.get(str(kind), ())}

    @field_validator("choice_ans", mode="before")
    @classmethod
    def _whole(cls, value: object) -> object:
        """A column of whole numbers with gaps becomes one of floating point in many tools: 2.0 is 2."""
        return int(value) if isinstance(value, float) and math.isfinite(value) and value.is_integer() else value

    @model_validator(mode="after")
    def _answer_fits_kind(self) -> Self:
        if self.ans_type == "choice":
            if not 0 < len(self.options) <= 26:
                raise ValueError(f"options: a choice puzzle needs 1 to 26, this one has {len(self.options)}")
            if self.choice_ans is None or not 0 <= self.choice_ans < len(self.options):
                raise ValueError(
                    f"choiceAns: a choice puzzle needs an index into its {len(self.options)} options, from 0"
                )
        elif not self.blank_ans:
            raise ValueError("blankAns: a blank puzzle needs a text")
        return self

    @property
    def gold(self) -> str:
        """The right answer: the letter of an option, or a text."""
        if self.ans_type == "choice":
            assert self.choice_ans is not None
            return letter(self.choice_ans)
        assert self.blank_ans is not None
        return self.blank_ans


def read_row(where: str, fields: Mapping[str, Any]) -> Row:
    """The row of these fields. ``where`` says which one it is, such as ``line 3``.

    Raises:
        UsageError: it is no BabyVision row; the text names ``where``, the taskId and the field, never an answer.
    """
    try:
        return Row.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        field = "".join(f"[{part}]" if isinstance(part, int) else str(part) for part in first["loc"])
        what = first["msg"].removeprefix("Value error, ")
        raise UsageError(f"{named(where, fields)}: {f'{field}: ' if field else ''}{what}.") from None


def named(where: str, fields: Mapping[str, Any]) -> str:
    """``where`` with the row's taskId, if it has one to be named by."""
    task_id = fields.get("taskId")
    return f"{where} (taskId {task_id})" if isinstance(task_id, int) else where
