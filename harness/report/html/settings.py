"""What a run was set to, as a page shows it: from its manifest, and the versions that played it."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from harness.report.words import counted, duration, plain
from harness.run.settings.table import SAMPLING
from harness.store import reading
from harness.store.canonical import JSON
from harness.store.grades import read_object
from harness.store.runfolder import RunFolder

VALUE_MAX: Final = 200  # characters of a value that are shown; a manifest may hold any JSON


def rows(run: RunFolder) -> Iterator[tuple[str, str]]:
    """Names and texts, made `plain`; raises StoreCorruptError for a damaged file of what was observed."""
    manifest = run.manifest
    versions = ", ".join(sorted(_versions(run)))
    yield "harness", plain(versions[:VALUE_MAX]) or "not noted"
    agent = [str(manifest.agent[name]) for name in ("name", "version") if name in manifest.agent]
    if agent:
        yield "agent", plain(" ".join(agent)[:VALUE_MAX])
    yield "repeats of each task", _shown(manifest.plan.get("repeats"))
    yield from _budgets(manifest.budgets)
    for name in dict.fromkeys((*SAMPLING, *manifest.sampling)):
        value = manifest.sampling.get(name)
        yield plain(name[:VALUE_MAX]), "left to the endpoint" if value is None else _shown(value)


def _budgets(found: Mapping[str, JSON]) -> Iterator[tuple[str, str]]:
    """A budget that is None has no limit; what an old or foreign manifest doesn't name is left out."""
    for key, name, unit in (
        ("timeout", "time for a rollout", ""),
        ("context", "context", "token"),
        ("max_output", "output of a call", "token"),
        ("max_calls", "calls of a rollout", "call"),
        ("max_tokens", "tokens of a rollout", "token"),
    ):
        if key in found:
            yield name, _limit(found[key], unit)


def _limit(value: JSON, unit: str) -> str:
    match value:
        case None:
            return "no limit"
        case bool():
            return _shown(value)
        case int() if unit:
            return f"at most {counted(value, unit)}"
        case int() | float() if not unit:
            return f"at most {duration(value)}"
    return _shown(value)


def _shown(value: JSON) -> str:
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return plain(text[:VALUE_MAX]) + "…" * (len(text) > VALUE_MAX)


def _versions(run: RunFolder) -> set[str]:
    """Of the harness, each time that it was started on this run."""
    found = set()
    for name in reading.json_names(run.layout.observed):
        path = run.layout.observed / f"{name}.json"
        with reading.corrupt(path):
            started: Mapping[str, Any] = read_object(path)
        if started.get("kind") == "start" and isinstance(version := started.get("harness"), str):
            found.add(version)
    return found
