"""What differs between two runs, or between two gradings of one run."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, get_args

import attrs

from harness.benchmarks.base import Gold
from harness.errors import UsageError
from harness.grading.scorer import Scorer
from harness.grading.string_match import normalised
from harness.run import paired
from harness.run.paired import Pair
from harness.run.plan import Item
from harness.run.rows import Looked, Row
from harness.run.statistics import mean
from harness.store.canonical import JSON, loads_strict
from harness.store.digests import Digest
from harness.store.manifest import Manifest, unequal

# Why a rollout is not the same in both, the first that holds. Masked, or in one run alone: it is not compared.
Kind = Literal[
    "only-in-a",
    "only-in-b",
    "other-question",
    "masked-in-both",
    "masked-in-a",
    "masked-in-b",
    "outcome-differs",
    "answer-differs",
    "verdict-differs",
    "same",
]
_MASKED: Final[Mapping[tuple[bool, bool], Kind]] = {
    (False, False): "masked-in-both",
    (False, True): "masked-in-a",
    (True, False): "masked-in-b",
}
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)


@attrs.frozen(kw_only=True)
class Side:
    """One of the two; ``golds`` by task, ``rows`` of all that was planned, ``scorer`` None where it has none."""

    manifest: Manifest
    scorer: Scorer | None
    content: Digest
    golds: Mapping[str, Gold] = attrs.field(repr=False)
    rows: Mapping[Item, Row] = attrs.field(repr=False)

    @classmethod
    def of(cls, looked: Looked) -> "Side":
        """A run as it is looked at."""
        return cls(
            manifest=looked.run.manifest,
            scorer=looked.scorer,
            content=looked.run.content_digest(),
            golds={item.task: looked.benchmark.gold(item.task) for item in looked.items},
            rows={item: looked.row(item) for item in looked.items},
        )


@attrs.frozen
class Change:
    """One rollout and how it differs; ``a`` or ``b`` is None where that run doesn't have it."""

    item: Item
    kind: Kind
    a: Row | None
    b: Row | None

    def to_json(self) -> dict[str, JSON]:
        """As ``harness diff --json`` has it."""
        sides = {f"{name}_{side}": value for side, row in (("a", self.a), ("b", self.b)) for name, value in _told(row)}
        return {"task": self.item.task, "repeat": self.item.repeat, "kind": self.kind, **sides}


@attrs.frozen(kw_only=True)
class Comparison:
    """``pairs``: the rewards of each task that was measured in both, A's first. ``manifest`` and ``scorer``: lines."""

    changes: tuple[Change, ...]
    pairs: Mapping[str, Pair]
    manifest: Sequence[str]
    scorer: Sequence[str]
    same_content: bool

    def counts(self) -> dict[Kind, int]:
        """How many rollouts there are of each kind."""
        found = Counter(change.kind for change in self.changes)
        return {kind: found[kind] for kind in KINDS if found[kind]}

    def figures(self) -> dict[str, JSON]:
        """The means over the tasks that were measured in both, and whether they differ; docs/results.md names the keys.

        A task counts with the mean of its repeats, so that one with a masked repeat counts no less.
        """
        pairs = list(self.pairs.values())
        found, test, between = paired.differences(pairs), paired.permutation(pairs), paired.interval(pairs)
        return {
            "tasks": len(pairs),
            "reward_a": mean([mean(first) or 0.0 for first, _ in pairs]),
            "reward_b": mean([mean(second) or 0.0 for _, second in pairs]),
            "difference": mean(found),
            "difference_interval": None if between is None else list(between),
            "better": sum(value > 0 for value in found),
            "worse": sum(value < 0 for value in found),
            "equal": sum(value == 0 for value in found),
            "p_value": None if test is None else test.value,
            "p_value_exact": None if test is None else test.exact,
        }

    def to_json(self) -> dict[str, JSON]:
        """As ``harness diff --json`` has it, but for what each run is."""
        return {
            "same_content": self.same_content,
            "manifest_differences": self.manifest,
            "scorer_differences": self.scorer,
            "paired": self.figures(),
            "rollouts": {str(kind): count for kind, count in self.counts().items()},
            "changed": [change.to_json() for change in self.changes if change.kind != "same"],
        }


def compare(a: Side, b: Side) -> Comparison:
    """Compare two runs on the tasks that they have in common; raises UsageError where there is none.

    A task is the same where its question and its right answer are: runs of other task sets, and of BabyVision with and
    without an instruction, can be compared.
    """
    items = dict.fromkeys((*a.rows, *b.rows))
    changes = tuple(Change(item, _kind(item, a, b), a.rows.get(item), b.rows.get(item)) for item in items)
    common = {task for task, gold in a.golds.items() if b.golds.get(task) == gold}
    if not common:
        raise UsageError("The two runs have no task in common: there is nothing to compare.")
    first, second = _rewards(a), _rewards(b)
    return Comparison(
        changes=changes,
        pairs={task: (first[task], second[task]) for task in first if task in second and task in common},
        manifest=unequal(a.manifest.to_json(), b.manifest.to_json(), "in A", "in B"),
        scorer=unequal(_described(a), _described(b), "in A", "in B"),
        same_content=a.content == b.content,
    )


def _kind(item: Item, a: Side, b: Side) -> Kind:
    before, after = a.rows.get(item), b.rows.get(item)
    if after is None:
        return "only-in-a"
    if before is None:
        return "only-in-b"
    if a.golds[item.task] != b.golds[item.task]:
        return "other-question"
    first, second = before.result, after.result
    measured = first.reward is not None, second.reward is not None
    if measured != (True, True):
        return _MASKED[measured]
    if first.outcome != second.outcome:
        return "outcome-differs"
    if not _same_answer(before, after):
        return "answer-differs"
    return "same" if (first.reward, _verdict(before)) == (second.reward, _verdict(after)) else "verdict-differs"


def _same_answer(a: Row, b: Row) -> bool:
    """Whether the answers are the same but for notation; where none was marked, whether all of the talk is."""
    first, second = a.result.extracted_answer, b.result.extracted_answer
    if first is None and second is None:
        return a.content == b.content or a.result.outcome != "answered"
    return first is not None and second is not None and normalised(first) == normalised(second)


def _told(row: Row | None) -> Iterator[tuple[str, JSON]]:
    yield "outcome", None if row is None else row.result.outcome
    yield "reward", None if row is None else row.result.reward
    yield "extracted_answer", None if row is None else row.result.extracted_answer
    yield "verdict", None if row is None else _verdict(row)


def _verdict(row: Row) -> str | None:
    return row.score.verdict if row.score else None


def _rewards(side: Side) -> dict[str, list[float]]:
    """The measured rewards of each task that has one."""
    found: dict[str, list[float]] = {}
    for item, row in side.rows.items():
        if row.result.reward is not None:
            found.setdefault(item.task, []).append(row.result.reward)
    return found


def _described(side: Side) -> JSON:
    return loads_strict(side.scorer.description) if side.scorer else {}
