"""How a puzzle's question and its choices are put: to the agent, and to the judge."""

from typing import Protocol


class Asked(Protocol):
    """A puzzle, of whatever class."""

    @property
    def question(self) -> str:
        """The question's text."""

    @property
    def ans_type(self) -> str:
        """``choice`` or ``blank``."""

    @property
    def options(self) -> tuple[str, ...]:
        """The choices."""


def question(puzzle: Asked) -> str:
    """The question as the authors' evaluation puts it: its text, and for a choice the lettered options."""
    if puzzle.ans_type == "blank":
        return puzzle.question
    choices = "\n".join(f"({letter(index)}) {option}" for index, option in enumerate(puzzle.options))
    return f"{puzzle.question}\nChoices:\n{choices}"


def letter(index: int) -> str:
    """``A`` for option 0 and so on."""
    return chr(ord("A") + index)
