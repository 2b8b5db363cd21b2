"""The figures of a run as a table for a terminal; without colours, so that a log has it too."""

import io
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.benchmarks.babyvision.names import NAMES
from harness.gateway.printed_parts import HINT, PRINTED_PARTS
from harness.report.words import counted, duration, plain

# Flag of a record -> what to do about it. Other flags are only counted.
HINTS: Mapping[str, str] = {PRINTED_PARTS: HINT}


def render(summary: Mapping[str, Any], width: int) -> str:
    """The figures in at most ``width`` columns; ``summary`` is the object that ``--json`` prints."""
    from rich.console import Console

    out = io.StringIO()
    console = Console(file=out, width=max(20, width), color_system=None, markup=False, highlight=False, emoji=False)
    about = _table(headed=False)
    about.add_column(no_wrap=True)
    about.add_column(overflow="fold")
    for name, value in _about(summary):
        about.add_row(name, plain(value))
    console.print(about)
    if summary["groups"]:
        console.print()
        console.print(_groups(summary))
    # rich fills lines up with spaces
    return "".join(line.rstrip() + "\n" for line in out.getvalue().splitlines())


def _about(summary: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "run", summary["run"]
    yield "benchmark", benchmark(summary["benchmark"], demo=summary["demo"])
    yield "policy", summary["policy_model"]
    yield "judge", summary["judge_model"]
    bounds = f"bounds {summary['reward_low']:.4f} to {summary['reward_high']:.4f}"
    yield "mean/reward", f"{_mean(summary)}  ({bounds})"
    yield "95 % interval", interval(summary)
    if summary["repeats"]:
        yield from _repeats(summary)
    yield "coverage", f"{summary['coverage']:.1%}  ({summary['measured']} of {summary['planned']} measured)"
    yield "outcomes", counts(summary["outcomes"]) or "none"
    if summary["masked"]:
        yield "masked", f"{summary['masked']}: {counts(summary['masked_outcomes'])}"
    yield "attempts", f"{summary['attempts']}  ({summary['new_attempts']} of them now)"
    if summary["played_seconds"]:
        played, waited = summary["played_seconds"], summary["waited_seconds"]
        yield "waiting", f"{waited / played:.0%} of {duration(played)} was spent waiting for the policy endpoint"
    if summary["egress"]["rollouts"]:
        yield "network", network(summary["egress"])
    for flag, count in summary["flags"].items():
        yield "flag", f"{flag} {count}" + (f": {HINTS[flag]}" if flag in HINTS else "")
    yield "content", summary["content_digest"]
    yield "report", f"harness report {shlex.quote(summary['run'])}"


def benchmark(name: str, *, demo: bool) -> str:
    """A benchmark's name, and whether it was a demo; of one's own only the model is then scripted."""
    return name + ((" (demo puzzles)" if name in NAMES else " (demo)") if demo else "")


def network(egress: Mapping[str, Any]) -> str:
    """Whether the rollouts that count prove that they reached the gateway alone; ``egress`` is of a summary."""
    rollouts = egress["rollouts"]
    they = "it" if rollouts == 1 else "they"
    proved = f"{egress['proved']} of {counted(rollouts, 'rollout')} proved that {they} reached the gateway alone"
    unlisted = counted(egress["truncated"], "rollout")
    more = f", and more that {unlisted} had no room to list" if egress["truncated"] else ""
    packets, destinations = counted(egress["refused"], "packet"), counted(egress["destinations"], "destination")
    refused = f"{packets} refused, to {destinations}{more}"
    return f"{proved}; {refused}" if egress["refused"] else f"{proved}; no packet was refused"


def _repeats(summary: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What repeats add; a rollout counts in full only where repeats of a task agree no more than other tasks do."""
    found = summary["repeats"]
    yield (
        "repeats",
        f"{found['planned']}; {summary['measured']} rollouts worth {summary['effective_n']:.1f} independent",
    )
    yield (
        "standard error",
        f"{number(summary['standard_error'])} by task, {number(found['standard_error'])} by repeat",
    )
    for kind in ("pass@", "majority@"):
        values = {name.removeprefix(kind): value for name, value in found.items() if name.startswith(kind)}
        yield f"{kind}k", ", ".join(f"{k}: {number(value)}" for k, value in values.items() if k.isdecimal())
    if left_out := {k: count for k, count in found["left_out"].items() if count}:
        yield (
            "left out",
            "tasks with fewer than k measured repeats: " + counts({f"{k}:": left_out[k] for k in left_out}),
        )


def members(summary: Mapping[str, Any]) -> Iterator[tuple[Sequence[str], str, Mapping[str, Any]]]:
    """Of each group the wider ones that it is in, its own name and its figures; a group comes after its wider ones."""
    found = {name: group for groups in summary["groups"].values() for name, group in groups.items()}
    for name in sorted(found):
        *wider, last = name.split(" / ")
        yield wider, last, found[name]


def _groups(summary: Mapping[str, Any]) -> Any:
    """The groups of the widest grouping, each followed by the narrower ones in it."""
    table = _table(headed=True)
    table.add_column("", overflow="fold")
    for heading in ("planned", "measured", "mean", "95 % interval"):
        table.add_column(heading, justify="right", overflow="fold")
    for wider, last, group in members(summary):
        sizes = (str(group["planned"]), str(group["measured"]))
        table.add_row("  " * len(wider) + plain(last), *sizes, _mean(group), interval(group))
    return table


def _table(*, headed: bool) -> Any:
    from rich.table import Table

    return Table(box=None, show_header=headed, pad_edge=False, padding=(0, 2, 0, 0), header_style="")


def _mean(figures: Mapping[str, Any]) -> str:
    return number(figures["reward"])


def number(value: float | None) -> str:
    """A mean with four digits; a dash where there is none."""
    return "-" if value is None else f"{value:.4f}"


def interval(figures: Mapping[str, Any]) -> str:
    """The 95 % interval of a run's or a group's mean; a dash where there is none."""
    found = figures["reward_interval"]
    return "-" if found is None else f"{found[0]:.3f} to {found[1]:.3f}"


def counts(found: Mapping[str, int]) -> str:
    """Names with how often each was found, as one text."""
    return ", ".join(f"{name} {count}" for name, count in found.items())
