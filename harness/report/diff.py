"""What differs between two runs, as text for a terminal."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from harness.report.columns import columns
from harness.report.words import plain

WORDS: Final[Mapping[str, str]] = {
    "only-in-a": "only in A",
    "only-in-b": "only in B",
    "other-question": "another question",
    "masked-in-both": "masked in both",
    "masked-in-a": "masked in A",
    "masked-in-b": "masked in B",
    "outcome-differs": "other outcome",
    "answer-differs": "other answer",
    "verdict-differs": "same answer, other verdict",
    "same": "the same",
}
# Whoever looks at these sees nothing that isn't counted above.
_NOT_LISTED: Final = ("only-in-a", "only-in-b", "other-question", "masked-in-both")


def render(found: Mapping[str, Any], width: int, *, every: bool) -> Iterator[str]:
    """The lines, of at most ``width`` cells but for digests and settings; ``found`` is the object of ``--json``.

    Listed are the rollouts that were measured in one run alone, ended otherwise, or have another reward; with
    ``every`` all that differ.
    """
    yield from columns(("", "A", "B"), list(_sides(found["a"], found["b"])), width)
    for title, name in (("settings", "manifest_differences"), ("scorers", "scorer_differences")):
        if found[name]:
            yield ""
            yield f"{title} that differ:"
            yield from (f"  {plain(line)}" for line in found[name])
    yield ""
    if found["same_content"]:
        yield "the same was asked and answered: the content digests are equal"
    yield from _paired(found["paired"])
    yield ""
    yield from columns(("rollouts", "", "better in B", "worse in B"), list(_kinds(found)), width, right={1, 2, 3})
    listed = [change for change in found["changed"] if change["kind"] not in _NOT_LISTED and (every or _moved(change))]
    if listed:
        yield ""
        headings = ("task", "repeat", "what differs", "A", "answer of A", "B", "answer of B")
        yield from columns(headings, [_cells(change) for change in listed], width, right={1, 3, 5})
    hidden = sum(not _moved(change) for change in found["changed"] if change["kind"] not in _NOT_LISTED)
    if hidden and not every:
        yield ""
        yield f"{hidden} more differ with the same reward: --all lists them"


def _sides(a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for (title, first), (_, second) in zip(_side(a), _side(b), strict=True):
        yield title, first, second


def _side(side: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "run", side["run"]
    yield "benchmark", side["benchmark"]
    yield "policy", side["policy_model"]
    yield "judge", side["judge_model"] or "never graded"
    yield "scorer", (side["scorer"] or "-")[:16]
    yield "content", side["content_digest"][:16]
    yield "mean/reward", _number(side["reward"])
    yield "95 % interval", _interval(side["reward_interval"], "{:.3f}")
    yield "coverage", f"{side['coverage']:.1%} ({side['measured']} of {side['planned']})"
    yield "outcomes", ", ".join(f"{name} {count}" for name, count in side["outcomes"].items())


def _paired(paired: Mapping[str, Any]) -> Iterator[str]:
    if not paired["tasks"]:
        yield "no task was measured in both runs: their means can't be compared"
        return
    tasks = f"{paired['tasks']} task{'s' if paired['tasks'] > 1 else ''} measured in both"
    yield f"{tasks}: A {_number(paired['reward_a'])}, B {_number(paired['reward_b'])}"
    yield f"difference {paired['difference']:+.4f}, 95 % interval {_interval(paired['difference_interval'], '{:+.4f}')}"
    yield f"better in B {paired['better']}, worse in B {paired['worse']}, equal {paired['equal']}"
    chance = "more than chance" if paired["p_value"] <= 0.05 else "chance alone could do that"
    exact = "exact" if paired["p_value_exact"] else "differences rounded"
    yield f"p = {paired['p_value']:.3g} (paired permutation test, {exact}): {chance}"


def _kinds(found: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    for kind, count in found["rollouts"].items():
        moves = [_moves(change) for change in found["changed"] if change["kind"] == kind]
        up, down = (sum(sign * move > 0 for move in moves) for sign in (1, -1))
        yield WORDS[kind], str(count), str(up or ""), str(down or "")


def _moves(change: Mapping[str, Any]) -> float:
    rewards = change["reward_a"], change["reward_b"]
    return 0.0 if None in rewards else rewards[1] - rewards[0]


def _moved(change: Mapping[str, Any]) -> bool:
    return change["kind"] in ("masked-in-a", "masked-in-b", "outcome-differs") or _moves(change) != 0


def _cells(change: Mapping[str, Any]) -> tuple[str, ...]:
    sides = [cell for side in "ab" for cell in (_reward(change[f"reward_{side}"]), _answer(change, side))]
    return change["task"], str(change["repeat"]), WORDS[change["kind"]], *sides


def _answer(change: Mapping[str, Any], side: str) -> str:
    """The extracted answer; where there is none, the outcome in brackets."""
    answer = change[f"extracted_answer_{side}"]
    return f"({change[f'outcome_{side}']})" if answer is None else answer


def _reward(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _interval(interval: Any, form: str) -> str:
    return "-" if interval is None else " to ".join(form.format(end) for end in interval)
