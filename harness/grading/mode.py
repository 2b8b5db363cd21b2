"""How a benchmark is graded, and what of that can be done again from the record alone."""

from typing import Final, Literal

import attrs

from harness.errors import UsageError

# Where the judge's replies come from: the record alone; the judge where it failed; the judge for every answer.
Judge = Literal["recorded", "failed", "live"]


@attrs.frozen(kw_only=True)
class Mode:
    """``name`` stands in the scorer's description; ``again`` is what can be done again, ``why`` why no more can."""

    name: str
    again: tuple[Judge, ...]
    why: str = ""

    def check(self, benchmark: str, judge: Judge, judgings: int) -> None:
        """Raises UsageError, with the reason, for what the mode can't do; ``judgings`` are asked for in all."""
        if judge not in self.again:
            can = ", ".join(self.again)
            raise UsageError(f"{benchmark} is graded as {self.name!r}: no --judge {judge}, only {can}. {self.why}")
        if judgings > 1 and self.again == ("recorded",):
            raise UsageError(f"{benchmark} is graded as {self.name!r}: there is no judge to repeat. {self.why}")


# A judge compares texts: its recorded replies give the same scores again, and it can be asked at any time.
JUDGED: Final = Mode(name="judged", again=("recorded", "failed", "live"))
