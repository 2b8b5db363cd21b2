"""The figures of a run as a few lines for a terminal."""

from collections.abc import Mapping
from typing import Any


def render(summary: Mapping[str, Any]) -> str:
    """Plain text; ``summary`` is the object that ``--json`` prints."""
    reward = summary["reward"]
    mean = "nothing was measured" if reward is None else f"{reward:.4f}"
    rows = [
        ("run", summary["run"]),
        ("benchmark", summary["benchmark"]),
        ("mean/reward", f"{mean}  (bounds {summary['reward_low']:.4f} to {summary['reward_high']:.4f})"),
        ("coverage", f"{summary['coverage']:.1%}  ({summary['measured']} of {summary['planned']} measured)"),
        ("outcomes", ", ".join(f"{name} {count}" for name, count in summary["outcomes"].items()) or "none"),
        ("content", summary["content_digest"]),
    ]
    return "".join(f"{name:<12} {value}\n" for name, value in rows)
