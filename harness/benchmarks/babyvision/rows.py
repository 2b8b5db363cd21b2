"""One BabyVision puzzle, in the schema of the authors' own data."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

Text = Annotated[str, Field(min_length=1)]


class Row(BaseModel):
    """A row as the data has it, with the bytes of its image. ``co_t`` (a worked solution) is read and never used.

    ``choice_ans`` is an index into ``options`` from 0, for a puzzle of kind ``choice``; ``blank_ans`` is text, for
    one of kind ``blank``.

    Raises:
        pydantic.ValidationError: a field is missing, of the wrong type, or at odds with ``ans_type``.
    """

    model_config = ConfigDict(frozen=True, strict=True, alias_generator=to_camel, populate_by_name=True)

    task_id: int
    type: Text
    subtype: Text
    image: bytes = Field(min_length=1, repr=False)
    question: Text
    ans_type: Literal["choice", "blank"]
    options: tuple[str, ...] = Field(default=(), strict=False)
    choice_ans: int | None = None
    blank_ans: str | None = None
    co_t: str | None = Field(default=None, repr=False)

    @model_validator(mode="after")
    def _answer_fits_kind(self) -> Self:
        if self.ans_type == "choice":
            if self.choice_ans is None or not 0 <= self.choice_ans < len(self.options) <= 26:
                raise ValueError("a choice puzzle needs choiceAns, an index into its options (26 at most)")
        elif not self.blank_ans:
            raise ValueError("a blank puzzle needs blankAns")
        return self

    @property
    def gold(self) -> str:
        """The right answer: the letter of an option, or a text."""
        if self.choice_ans is not None and self.ans_type == "choice":
            return letter(self.choice_ans)
        assert self.blank_ans is not None
        return self.blank_ans


def letter(index: int) -> str:
    """``A`` for option 0 and so on."""
    return chr(ord("A") + index)
