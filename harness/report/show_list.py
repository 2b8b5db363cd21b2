"""A run's rollouts as a list."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import attrs

from harness.benchmarks.base import Graded
from harness.errors import UnknownNameError
from harness.report.columns import columns
from harness.report.words import counted, duration, plain
from harness.run.rows import Looked, Row
from harness.run.summary import SECOND
from harness.store.canonical import JSON


@attrs.frozen(kw_only=True)
class Filter:
    """Which rollouts are listed: those that fit all that is asked for."""

    outcomes: Sequence[str] = ()
    flags: Sequence[str] = ()
    wrong: bool = False  # measured, with a reward below 1
    masked: bool = False

    def chosen(self, rows: Iterable[Row]) -> list[Row]:
        """The rows that fit; raises UnknownNameError for an outcome or a flag that none has."""
        rows = list(rows)
        for kind, asked, known in (
            ("outcome", self.outcomes, {row.result.outcome for row in rows}),
            ("flag", self.flags, {flag for row in rows for flag in row.result.flags}),
        ):
            for name in asked:
                if name not in known:
                    raise UnknownNameError(kind, name, known, "in this run")
        return [row for row in rows if self._fits(row)]

    def _fits(self, row: Row) -> bool:
        result = row.result
        return (
            (not self.outcomes or result.outcome in self.outcomes)
            and set(self.flags) <= set(result.flags)
            and (not self.wrong or (result.reward is not None and result.reward < 1))
            and (not self.masked or result.reward is None)
        )


def described(looked: Looked, chosen: Filter) -> dict[str, JSON]:
    """The object of ``harness show RUN --json``."""
    return {
        "run": str(looked.run.layout.root),
        "scorer": looked.scorer.digest if looked.scorer else None,
        "planned": len(looked.items),
        "rollouts": [_described(row, looked.benchmark) for row in chosen.chosen(looked.rows())],
    }


def _described(row: Row, benchmark: Graded) -> dict[str, JSON]:
    result, score = row.result, row.score
    return {
        "task": result.task,
        "repeat": result.repeat,
        "groups": result.groups,
        "outcome": result.outcome,
        "reward": result.reward,
        "verdict": score.verdict if score else None,
        "string_match": score.string_match if score else None,
        "extracted_answer": result.extracted_answer,
        "gold": benchmark.gold(result.task).answer,
        "attempts": result.attempts,
        "flags": list(result.flags),
        "played_seconds": result.played_ns / SECOND,
        "waited_seconds": result.waited_ns / SECOND,
    }


def render(found: Mapping[str, Any], width: int) -> Iterator[str]:
    """The lines, of at most ``width`` cells; ``found`` is the object of ``--json``."""
    headings = ("task", "repeat", "outcome", "reward", "verdict", "extracted", "gold", "tries", "time", "flags")
    shown, planned = len(found["rollouts"]), found["planned"]
    count = f"{shown} of {counted(planned, 'rollout')} of {plain(found['run'])}"
    if not shown:
        yield count
        return
    yield from columns(headings, [_cells(one) for one in found["rollouts"]], width, right={1, 3, 7, 8})
    yield f"{count}; one of them: harness show RUN TASK"


def _cells(one: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        one["task"],
        str(one["repeat"]),
        one["outcome"],
        "-" if one["reward"] is None else f"{one['reward']:g}",
        one["verdict"] or "",
        one["extracted_answer"] or "",
        one["gold"],
        str(one["attempts"]),
        duration(one["played_seconds"]) if one["attempts"] else "",
        ", ".join(one["flags"]),
    )
