"""How a benchmark is graded, and what of that can be done again from the record alone."""

from typing import Final, Literal

import attrs

from harness.errors import UsageError
from harness.grading.own import Own

# Where the judge's replies come from: the record alone; the judge where it failed; the judge for every answer.
Judge = Literal["recorded", "failed", "live"]


@attrs.frozen(kw_only=True)
class Mode:
    """``name`` stands in the scorer's description; ``again`` is what can be done again, ``why`` why no more can.

    ``own``: the file that the benchmark was read from, None for the harness's own benchmarks and where a run folder is
    all that is at hand.
    """

    name: str
    again: tuple[Judge, ...]
    why: str = ""
    own: Own | None = None

    def check(self, benchmark: str, judge: Judge, judgings: int) -> None:
        """Raises UsageError, with the reason, for what the mode can't do; ``judgings`` are asked for in all."""
        if judge not in self.again:
            can = ", ".join(self.again)
            raise UsageError(f"{benchmark} is graded as {self.name!r}: no --judge {judge}, only {can}. {self.why}")
        if judgings > 1 and self.again == ("recorded",):
            raise UsageError(f"{benchmark} is graded as {self.name!r}: there is no judge to repeat. {self.why}")


# A judge compares texts: its recorded replies give the same scores again, and it can be asked at any time.
JUDGED: Final = Mode(name="judged", again=("recorded", "failed", "live"))

# The rule of a benchmark's own file compares: no judge is asked, and the file gives the same scores again.
RULED: Final = Mode(name="rule", again=("recorded",), why="Its own rule gives the same scores whenever it is asked.")
