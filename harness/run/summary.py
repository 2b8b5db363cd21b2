"""The figures of a run, from its scores alone."""

from collections import Counter
from collections.abc import Mapping, Sequence

import attrs

from harness.errors import EXIT_COVERAGE, EXIT_OK
from harness.store.canonical import JSON


@attrs.frozen
class Result:
    """What became of one planned rollout; ``reward`` is None where it is masked or not there."""

    task: str
    repeat: int
    outcome: str
    reward: float | None


def figures(results: Sequence[Result]) -> dict[str, JSON]:
    """Rewards over measured rollouts, coverage, and the bounds that all masked ones as 0 and as 1 would give.

    ``reward`` is null where nothing was measured: there is no mean of nothing.
    """
    planned = len(results)
    rewards = [result.reward for result in results if result.reward is not None]
    masked = planned - len(rewards)
    return {
        "planned": planned,
        "measured": len(rewards),
        "masked": masked,
        "coverage": len(rewards) / planned if planned else 0.0,
        "reward": sum(rewards) / len(rewards) if rewards else None,
        "reward_low": sum(rewards) / planned if planned else 0.0,
        "reward_high": (sum(rewards) + masked) / planned if planned else 1.0,
        "outcomes": dict(sorted(Counter(result.outcome for result in results).items())),
    }


def exit_status(summary: Mapping[str, JSON]) -> int:
    """0 where every planned rollout was measured, else 3."""
    return EXIT_OK if summary["measured"] == summary["planned"] else EXIT_COVERAGE
