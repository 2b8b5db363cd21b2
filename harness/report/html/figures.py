"""A run's figures as a page shows them: texts, and places in a bar. What others wrote is made `plain`."""

import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from harness.report import table
from harness.report.html.rollouts import VERDICTS, Entry
from harness.report.words import duration, plain
from harness.run.results import UNFINISHED, UNGRADED
from harness.run.summary import SECOND
from harness.store.manifest import Manifest


@attrs.frozen(kw_only=True)
class Bar:
    """A group's mean as a bar; ``mean``, ``low`` and ``high`` are percent, None where nothing was measured."""

    name: str
    category: str  # as `harness.report.html.rollouts.Entry.category`, to filter by
    depth: int
    measured: int
    planned: int
    number: str
    interval: str
    mean: float | None
    low: float | None
    high: float | None


@attrs.frozen(kw_only=True)
class Ending:
    """An outcome: how often, how many of those are masked, and what share of all that is, in percent."""

    name: str
    count: int
    masked: int
    share: float


def names(manifest: Manifest) -> dict[str, Any]:
    """What every page says of the run."""
    return {
        "benchmark": table.benchmark(plain(manifest.benchmark), demo=bool(manifest.plan.get("demo"))),
        "policy": plain(manifest.model),
        "identity": manifest.identity,
    }


def context(about: Mapping[str, Any], entries: Sequence[Entry]) -> dict[str, Any]:
    """What the summary says; ``about`` is what `harness.run.rows.Looked.about` gives."""
    return {
        "judge": plain(about["judge_model"] or "none: not graded yet"),
        "figures": about,
        "reward": table.number(about["reward"]),
        "whole": _bar("", [], about),
        "interval": table.interval(about),
        "verdicts": list(_verdicts(entries)),
        "network": table.network(about["egress"]) if about["egress"]["rollouts"] else "",
        "unfinished": _unfinished(about),
        "repeats": _repeats(about),
        "bars": [_bar(name, wider, group) for wider, name, group in table.members(about)],
        "endings": list(_endings(about)),
        "times": list(_times(about, entries)),
        "tokens": list(_tokens(entries)),
        "flags": [(plain(flag), count, table.HINTS.get(flag, "")) for flag, count in about["flags"].items()],
    }


def _bar(name: str, wider: Sequence[str], figures: Mapping[str, Any]) -> Bar:
    mean, interval = figures["reward"], figures["reward_interval"] or (None, None)
    low, high = (None if end is None else round(100 * end, 2) for end in interval)
    return Bar(
        name=plain(name),
        category=" / ".join(map(plain, (*wider, name))),
        depth=len(wider),
        measured=figures["measured"],
        planned=figures["planned"],
        number=table.number(mean),
        interval=table.interval(figures),
        mean=None if mean is None else round(100 * mean, 2),
        low=low,
        high=high,
    )


def _unfinished(about: Mapping[str, Any]) -> str:
    """What is still to be done; nothing of a run that is at its end."""
    masked = about["masked_outcomes"]
    left = {"not played to an end": masked.get(UNFINISHED, 0), "not graded": masked.get(UNGRADED, 0)}
    return ", ".join(f"{count} of {about['planned']} {what}" for what, count in left.items() if count)


def _repeats(about: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
    found = about["repeats"]
    if not found:
        return ()
    names = [name for name in found if name.startswith(("pass@", "majority@")) and "[" not in name]
    return [(name, table.number(found[name])) for name in names]


def _verdicts(entries: Sequence[Entry]) -> Iterator[tuple[str, str, int]]:
    """Each verdict's name, the words for it, and how many there are; of rare ones only where there are some."""
    counted = Counter(entry.verdict for entry in entries)
    for name, words in VERDICTS.items():
        if counted[name] or name in ("right", "wrong", "masked"):
            yield name, words, counted[name]


def _endings(about: Mapping[str, Any]) -> Iterator[Ending]:
    counted = sorted(about["outcomes"].items(), key=lambda pair: (-pair[1], pair[0]))
    for name, count in counted:
        masked = about["masked_outcomes"].get(name, 0)
        yield Ending(name=plain(name), count=count, masked=masked, share=round(100 * count / about["planned"], 2))


def _times(about: Mapping[str, Any], entries: Sequence[Entry]) -> Iterator[tuple[str, str]]:
    results = [entry.row.result for entry in entries]
    played = [result.played_ns / SECOND for result in results if result.reward is not None]
    if not played:
        return
    yield "median", duration(statistics.median(played))
    yield "95th percentile", duration(percentile95(played))
    yield "longest", duration(max(played))
    yield "all together", duration(about["played_seconds"])
    if about["played_seconds"]:
        share = about["waited_seconds"] / about["played_seconds"]
        yield "waiting for the policy endpoint", f"{share:.0%}"


def percentile95(values: Sequence[float]) -> float:
    """The value below which 95 % of the values lie, between neighbours in proportion."""
    return values[0] if len(values) < 2 else statistics.quantiles(values, n=20, method="inclusive")[-1]


def _tokens(entries: Sequence[Entry]) -> Iterator[tuple[str, str]]:
    counted = [entry.tokens for entry in entries if entry.tokens is not None]
    calls = [entry.calls for entry in entries if entry.row.result.attempts]
    if calls:
        yield "calls, median", f"{statistics.median(calls):g}"
    if not counted:
        return
    prompts, completions = zip(*counted, strict=True)
    yield "tokens in, median", f"{statistics.median(prompts):,.0f}"
    yield "tokens out, median", f"{statistics.median(completions):,.0f}"
    yield "tokens in, all", f"{sum(prompts):,}"
    yield "tokens out, all", f"{sum(completions):,}"
