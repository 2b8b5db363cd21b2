"""The figures of a run, from the results of its rollouts alone."""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

import attrs

from harness.errors import EXIT_COVERAGE, EXIT_INTERRUPTED, EXIT_OK
from harness.grading.string_match import normalised
from harness.run import repeats, statistics
from harness.run.egress import sums
from harness.run.egress.sums import Sent
from harness.run.repeats import Repeats
from harness.store.canonical import JSON

SECOND = 1_000_000_000  # nanoseconds


@attrs.frozen(kw_only=True)
class Result:
    """What became of one planned rollout.

    ``reward`` is None where it is masked or not there. ``attempts`` counts all of them; flags and times are those of
    the attempt that counts. ``groups``: name of a grouping to the task's group, the widest grouping first.
    ``extracted_answer`` is None where there is no answer, or none was marked in it. ``sent`` is None where no attempt
    counts.
    """

    task: str
    repeat: int
    outcome: str
    reward: float | None
    attempts: int = 0
    flags: Sequence[str] = ()
    played_ns: int = 0
    waited_ns: int = 0
    groups: Mapping[str, str] = attrs.field(factory=dict)
    extracted_answer: str | None = None
    sent: Sent | None = None


def figures(results: Sequence[Result]) -> dict[str, JSON]:
    """Rewards over measured rollouts, coverage, bounds, and the same for each group; docs/results.md names the keys.

    ``reward`` is null where nothing was measured: there is no mean of nothing. A pure function: in whatever order the
    results come, the figures are the same.
    """
    results = sorted(results, key=lambda result: (result.task, result.repeat))
    tasks = _by_task(results)
    masked = [result for result in results if result.reward is None]
    measured = [result for result in results if result.reward is not None]
    total = math.fsum(result.reward for result in results if result.reward is not None)
    planned = len(results)
    return {
        **_mean(tasks.values()),
        "coverage": len(measured) / planned if planned else 0.0,
        "reward_low": total / planned if planned else 0.0,
        "reward_high": (total + len(masked)) / planned if planned else 1.0,
        "outcomes": _counted(result.outcome for result in results),
        "masked_outcomes": _counted(result.outcome for result in masked),
        "attempts": sum(result.attempts for result in results),
        "flags": _counted(flag for result in results for flag in set(result.flags)),
        "played_seconds": sum(result.played_ns for result in measured) / SECOND,
        "waited_seconds": sum(result.waited_ns for result in measured) / SECOND,
        "egress": sums.figures(result.sent for result in results if result.sent is not None),
        "groups": _groups({result.task: result.groups for result in results}, tasks),
    }


def exit_status(summary: Mapping[str, JSON]) -> int:
    """0 where every planned rollout was measured, else 130 after Ctrl-C, else 3."""
    if summary["measured"] == summary["planned"]:
        return EXIT_OK
    return EXIT_INTERRUPTED if summary.get("interrupted") else EXIT_COVERAGE


def _by_task(results: Iterable[Result]) -> dict[str, Repeats]:
    found: dict[str, list[Result]] = {}
    for result in results:
        found.setdefault(result.task, []).append(result)
    return {task: _repeats(of_task) for task, of_task in found.items()}


def _repeats(results: Sequence[Result]) -> Repeats:
    """What repeats of one task add; answers that are the same but for notation vote as one."""
    measured = [(result, result.reward) for result in results if result.reward is not None]
    answers = [result.extracted_answer for result, _ in measured]
    return Repeats(
        planned=[result.repeat for result in results],
        measured=[result.repeat for result, _ in measured],
        rewards=[reward for _, reward in measured],
        answers=[None if answer is None else normalised(answer) for answer in answers],
    )


def _mean(tasks: Collection[Repeats]) -> dict[str, JSON]:
    rewards = [task.rewards for task in tasks if task.rewards]
    planned, measured = sum(len(task.planned) for task in tasks), sum(map(len, rewards))
    between = statistics.interval(rewards)
    last = max((max(task.planned) for task in tasks), default=0)
    return {
        "planned": planned,
        "measured": measured,
        "masked": planned - measured,
        "reward": statistics.mean([reward for task in rewards for reward in task]),
        "reward_interval": None if between is None else list(between),
        "effective_n": statistics.effective(rewards) if rewards else 0,
        "standard_error": statistics.standard_error(rewards),
        "repeats": repeats.figures(list(tasks), last + 1) if last else None,
    }


def _groups(groups: Mapping[str, Mapping[str, str]], tasks: Mapping[str, Repeats]) -> dict[str, JSON]:
    """For each grouping its groups; a group is named with those of the wider groupings before it."""
    found: dict[str, dict[str, list[Repeats]]] = {}
    for task, of_task in groups.items():
        names = list(of_task.values())
        for depth, grouping in enumerate(of_task):
            name = " / ".join(names[: depth + 1])
            found.setdefault(grouping, {}).setdefault(name, []).append(tasks[task])
    return {
        grouping: {name: _mean(members) for name, members in sorted(members_of.items())}
        for grouping, members_of in found.items()
    }


def _counted(names: Iterable[str]) -> dict[str, JSON]:
    return dict(sorted(Counter(names).items()))
