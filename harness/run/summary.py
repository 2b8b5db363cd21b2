"""The figures of a run, from the results of its rollouts alone."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import attrs

from harness.errors import EXIT_COVERAGE, EXIT_INTERRUPTED, EXIT_OK
from harness.run.statistics import wilson
from harness.store.canonical import JSON

SECOND = 1_000_000_000  # nanoseconds


@attrs.frozen(kw_only=True)
class Result:
    """What became of one planned rollout.

    ``reward`` is None where it is masked or not there. ``attempts`` counts all of them; flags and times are those of
    the attempt that counts. ``groups``: name of a grouping to the task's group, the widest grouping first.
    ``extracted_answer`` is None where there is no answer, or none was marked in it.
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


def figures(results: Sequence[Result]) -> dict[str, JSON]:
    """Rewards over measured rollouts, coverage, bounds, and the same for each group; docs/results.md names the keys.

    ``reward`` is null where nothing was measured: there is no mean of nothing. The intervals take rollouts as
    independent (see `wilson`); ``measured`` is their n.
    """
    masked = [result for result in results if result.reward is None]
    measured = [result for result in results if result.reward is not None]
    rewards = [result.reward for result in measured if result.reward is not None]
    planned = len(results)
    return {
        **_mean(results),
        "coverage": len(measured) / planned if planned else 0.0,
        "reward_low": sum(rewards) / planned if planned else 0.0,
        "reward_high": (sum(rewards) + len(masked)) / planned if planned else 1.0,
        "outcomes": _counted(result.outcome for result in results),
        "masked_outcomes": _counted(result.outcome for result in masked),
        "attempts": sum(result.attempts for result in results),
        "flags": _counted(flag for result in results for flag in set(result.flags)),
        "played_seconds": sum(result.played_ns for result in measured) / SECOND,
        "waited_seconds": sum(result.waited_ns for result in measured) / SECOND,
        "groups": _groups(results),
    }


def exit_status(summary: Mapping[str, JSON]) -> int:
    """0 where every planned rollout was measured, else 130 after Ctrl-C, else 3."""
    if summary["measured"] == summary["planned"]:
        return EXIT_OK
    return EXIT_INTERRUPTED if summary.get("interrupted") else EXIT_COVERAGE


def _mean(results: Sequence[Result]) -> dict[str, JSON]:
    rewards = [result.reward for result in results if result.reward is not None]
    interval = wilson(sum(rewards), len(rewards))
    return {
        "planned": len(results),
        "measured": len(rewards),
        "masked": len(results) - len(rewards),
        "reward": sum(rewards) / len(rewards) if rewards else None,
        "reward_interval": None if interval is None else list(interval),
    }


def _groups(results: Sequence[Result]) -> dict[str, JSON]:
    """For each grouping its groups; a group is named with those of the wider groupings before it."""
    found: dict[str, dict[str, list[Result]]] = {}
    for result in results:
        names = list(result.groups.values())
        for depth, grouping in enumerate(result.groups):
            name = " / ".join(names[: depth + 1])
            found.setdefault(grouping, {}).setdefault(name, []).append(result)
    return {
        grouping: {name: _mean(members) for name, members in sorted(groups.items())}
        for grouping, groups in found.items()
    }


def _counted(names: Iterable[str]) -> dict[str, JSON]:
    return dict(sorted(Counter(names).items()))
