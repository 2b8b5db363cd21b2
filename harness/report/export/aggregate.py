"""The figures of a run as NeMo Gym sums them up.

Masked rollouts are in none of them but in ``coverage``.
"""

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from harness.report.export.passing import passing
from harness.report.export.repeating import repeating


@attrs.frozen
class Measured:
    """One measured rollout: its numbers by field, and the answer that was extracted from it."""

    place: int
    repeat: int
    values: Mapping[str, float]
    answer: str | None


@attrs.frozen
class Tried:
    """What was tried of a task: how many rollouts are planned, and how many were tried but not measured."""

    planned: int
    masked: int


def numbers(row: Mapping[str, Any]) -> dict[str, float]:
    """The fields of a row that are summed up: its numbers and truth values, and those of its usage."""
    usage = (row.get("response") or {}).get("usage") or {}
    return {
        name: float(value)
        for name, value in {**row, **usage}.items()
        if isinstance(value, int | float) and not name.startswith("_ng_")
    }


def aggregate(agent: Mapping[str, Any], measured: Sequence[Measured], tried: Mapping[int, Tried]) -> list[Any]:
    """The content of the file of aggregate metrics; ``tried`` says of each task in its place what was tried."""
    by_task: dict[int, list[Measured]] = {}
    for rollout in sorted(measured, key=lambda rollout: (rollout.place, rollout.repeat)):
        by_task.setdefault(rollout.place, []).append(rollout)
    metrics = {
        **described(measured),
        **passing([[(rollout.values["reward"], rollout.answer) for rollout in task] for task in by_task.values()]),
        **repeating([(rollout.repeat, rollout.values) for rollout in measured]),
        **_coverage(by_task, tried),
    }
    return [
        {
            "agent_ref": dict(agent),
            "agent_metrics": metrics,
            "key_metrics": {name: value for name, value in metrics.items() if name.startswith("mean/")},
            "group_level_metrics": [_group(place, task, tried[place]) for place, task in by_task.items()],
        }
    ]


def described(rollouts: Sequence[Measured]) -> dict[str, float]:
    """Mean, max, min, median and standard deviation (n - 1) of each field, over the rollouts that have it.

    Of a single rollout the deviation is 0.
    """
    found: dict[str, float] = {}
    columns = {name: None for rollout in rollouts for name in rollout.values}
    for name in columns:
        values = [rollout.values[name] for rollout in rollouts if name in rollout.values]
        found[f"mean/{name}"] = mean = math.fsum(values) / len(values)
        found[f"max/{name}"] = max(values)
        found[f"min/{name}"] = min(values)
        found[f"median/{name}"] = statistics.median(values)
        if len(values) > 1:
            found[f"std/{name}"] = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))
        elif len(rollouts) == 1:
            found[f"std/{name}"] = 0.0
    return found


def _coverage(by_task: Mapping[int, Sequence[Measured]], tried: Mapping[int, Tried]) -> dict[str, int]:
    return {
        "coverage/measured_rollouts": sum(map(len, by_task.values())),
        "coverage/masked_rollouts": sum(task.masked for task in tried.values()),
        "coverage/measured_tasks": len(by_task),
        "coverage/fully_masked_tasks": sum(task.masked > 0 and place not in by_task for place, task in tried.items()),
    }


def _group(place: int, task: Sequence[Measured], tried: Tried) -> dict[str, Any]:
    return {
        "_ng_task_index": place,
        **described(task),
        "num_rollouts": len(task),
        "expected_num_rollouts": tried.planned,
        "missing_num_rollouts": tried.planned - len(task),
        "reward_profile_completion_pct": 100.0 * len(task) / tried.planned,
        "rollout_infos": [
            {
                "rollout_id": f"{place}:{rollout.repeat}",
                "_ng_task_index": place,
                "_ng_rollout_index": rollout.repeat,
                **rollout.values,
            }
            for rollout in task
        ],
    }
