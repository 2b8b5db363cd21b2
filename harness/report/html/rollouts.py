"""What a page holds of one planned rollout: a line for the table, and all of it for whoever opens it."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import attrs

from harness.report import show_proof, show_rollout, show_text
from harness.report.conversation import Picture
from harness.report.pictures import described
from harness.report.words import duration, plain
from harness.run.plan import Item
from harness.run.rows import Looked, Row
from harness.run.summary import SECOND
from harness.store.canonical import JSON
from harness.store.layout import Layout

CELL_MAX = 120  # characters of an answer that a cell of the table shows
# What a rollout came to, and the words for it on a page.
VERDICTS: Final[Mapping[str, str]] = {
    "right": "right",
    "wrong": "wrong",
    "no-answer": "no answer",
    "partial": "partial",
    "masked": "masked",
}
NOT_RIGHT: Final = ("wrong", "no-answer", "partial")  # measured, with a reward below 1: what `show --wrong` lists
SEARCHED_MAX = 2000  # characters of a text of others that stand in the index for the search


@attrs.frozen(kw_only=True)
class Entry:
    """A line of the table. ``tokens`` are (prompt, completion), None where the endpoint counted none.

    ``calls`` are those on the chain of the attempt that counts, else of the last one. ``texts`` are what a search
    looks through beside the talk. ``picture`` is the task's first image as
    `harness.report.pictures.described` has it.
    """

    row: Row
    gold: str
    calls: int = 0
    tokens: tuple[int, int] | None = None
    texts: Sequence[str] = ()
    picture: Mapping[str, JSON] | None = None

    @property
    def verdict(self) -> str:
        """``right``, ``partial`` (a reward between 0 and 1) or ``masked``, which is no reward at all.

        Of reward 0 are ``wrong`` and ``no-answer``: without a final answer nobody was asked what it is worth.
        """
        reward = self.row.result.reward
        if reward is None:
            return "masked"
        if reward > 0:
            return "right" if reward >= 1 else "partial"
        return "wrong" if self.row.result.outcome == "answered" else "no-answer"

    @property
    def groups(self) -> tuple[str, ...]:
        """The task's groups, the widest first, made `plain`."""
        return tuple(map(plain, self.row.result.groups.values()))

    @property
    def category(self) -> str:
        """All its groups as one name, as in the summary."""
        return " / ".join(self.groups)

    def to_json(self) -> dict[str, JSON]:
        """What the page's script filters, sorts and searches by."""
        result = self.row.result
        return {
            "task": plain(result.task),
            "repeat": result.repeat,
            "category": self.category,
            "outcome": plain(result.outcome),
            "verdict": self.verdict,
            "reward": result.reward,
            "answer": result.extracted_answer,
            "gold": self.gold,
            "calls": self.calls,
            "tokens": None if self.tokens is None else sum(self.tokens),
            "time": result.played_ns / SECOND if result.attempts else None,
            "flags": [plain(flag) for flag in result.flags],
            "texts": [text[:SEARCHED_MAX] for text in self.texts],
            "picture": self.picture,
        }

    def cells(self) -> dict[str, str]:
        """The texts of its cells, by column, without a sign that could move or hide others."""
        result = self.row.result
        wider, narrower = self.groups[:1], self.groups[1:]
        tokens = None if self.tokens is None else sum(self.tokens)
        return {
            "task": plain(result.task),
            "repeat": str(result.repeat),
            "category": " / ".join(wider),
            "subtype": " / ".join(narrower),
            "reward": "masked" if result.reward is None else f"{result.reward:g}",
            "answer": _cut(result.extracted_answer or ""),
            "gold": _cut(self.gold),
            "outcome": plain(result.outcome),
            "calls": str(self.calls) if result.attempts else "",
            "tokens": "" if tokens is None else f"{tokens:,}",
            "time": duration(result.played_ns / SECOND) if result.attempts else "",
            "flags": plain(", ".join(result.flags)),
        }


@attrs.frozen(kw_only=True)
class Opened:
    """A rollout as it is opened: its line, the object that the page's script shows, and each of its images once."""

    entry: Entry
    data: Mapping[str, JSON] = attrs.field(repr=False)
    pictures: Sequence[Picture] = attrs.field(repr=False)


def read(looked: Looked, item: Item) -> Opened:
    """Read one planned rollout from the run folder; raises StoreCorruptError."""
    if looked.run.attempt_names(item.task, item.repeat):
        return _played(looked, show_rollout.planned_rollout(looked, item))
    row, gold = looked.row(item), looked.benchmark.gold(item.task)
    data: dict[str, JSON] = {"question": gold.question, "gold": gold.answer, "turns": [], "attempts": []}
    return Opened(entry=Entry(row=row, gold=gold.answer, texts=(gold.question,)), data=data, pictures=())


def _played(looked: Looked, rollout: show_rollout.Rollout) -> Opened:
    found: Any = show_rollout.to_json(looked, rollout, all_calls=True)
    proof = found["proof"]
    for name in ("rules", "filter"):
        if proof[name] is not None:
            proof[name] = _inside(looked.run.layout, proof[name])
    found["network"] = [list(row) for row in show_proof.rows(proof, found["observed"]["egress"], full=True)]
    found["measurements"] = [list(row) for row in show_text.measurements(found)]
    found["record"] = json.loads(rollout.record.to_bytes())
    del found["run"]  # where the folder is says nothing of the run, and equal runs are to give equal pages
    pictures = tuple({one.sha256: one for one in rollout.pictures}.values())
    prompt, completion = found["tokens"]["prompt"], found["tokens"]["completion"]
    entry = Entry(
        row=rollout.row,
        gold=found["gold"],
        calls=len(found["chain"]),
        tokens=None if prompt is completion is None else (prompt or 0, completion or 0),
        texts=tuple(text for text in (found["question"], found["reason"], found["failure_reason"]) if text),
        picture=_puzzle(rollout, pictures),
    )
    return Opened(entry=entry, data=found, pictures=pictures)


def _puzzle(rollout: show_rollout.Rollout, pictures: Sequence[Picture]) -> Mapping[str, JSON] | None:
    wanted = {image.blob for image in rollout.record.content.images}
    return next((described(one) for one in pictures if one.sha256 in wanted), None)


def _inside(layout: Layout, path: str) -> str:
    return path.removeprefix(f"{layout.root}/")


def _cut(text: str) -> str:
    return plain(text[:CELL_MAX]) + "…" * (len(text) > CELL_MAX)
