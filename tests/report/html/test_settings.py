"""What a page says of a run's settings: also of a manifest that holds anything."""

from pathlib import Path
from typing import Any

import pytest

from harness.errors import StoreCorruptError
from harness.report.html import settings
from harness.run.settings.table import SAMPLING
from harness.store.digests import digest
from harness.store.manifest import Manifest
from harness.store.runfolder import RunFolder
from tests.report.html.pages import page
from tests.report.runs import Made

UNSET = "left to the endpoint"


def run_of(path: Path, **values: Any) -> RunFolder:
    about: dict[str, Any] = {"agent": {}, "sampling": {}, "budgets": {}, "plan": {"tasks": ["1"], "repeats": 1}}
    manifest = Manifest(
        benchmark="b",
        tasks=digest(b"tasks"),
        prompts={},
        rootfs=digest(b"rootfs"),
        model="m",
        limits={},
        date="Thu Jan 01 2026",
        **(about | values),
    )
    return RunFolder.create(path, manifest, b"tasks")


def test_what_was_set_and_what_was_left_open(tmp_path: Path) -> None:
    budgets = {"timeout": 1800, "context": 131072, "max_output": 1, "max_calls": None, "max_tokens": 5}
    run = run_of(
        tmp_path / "R",
        agent={"name": "opencode", "version": "1.2.3", "config": {}},
        sampling={"temperature": 0.6, "extra": {"a": 1}},
        budgets=budgets,
        plan={"tasks": ["1"], "repeats": 4},
    )
    for started, kind, version in ((1, "start", "0.1.0"), (2, "start", "0.2.0"), (3, "scoring", "0.3.0")):
        run.write_observed("node", started, {"kind": kind, "harness": version})
    assert dict(settings.rows(run)) == {
        "harness": "0.1.0, 0.2.0",
        "agent": "opencode 1.2.3",
        "repeats of each task": "4",
        "time for a rollout": "at most 30 min",
        "context": "at most 131,072 tokens",
        "output of a call": "at most 1 token",
        "calls of a rollout": "no limit",
        "tokens of a rollout": "at most 5 tokens",
        **dict.fromkeys(SAMPLING, UNSET),
        "temperature": "0.6",
        "extra": '{"a": 1}',
    }


@pytest.mark.parametrize("value", [True, "\u202ewords", [1], {"a": None}, -1.5, "x" * 5000])
def test_a_manifest_that_holds_anything_is_shown(tmp_path: Path, value: Any) -> None:
    names = ("timeout", "context", "max_output", "max_calls", "max_tokens")
    run = run_of(tmp_path / "R", sampling={"top_k": value}, budgets=dict.fromkeys(names, value), agent={"name": value})
    texts = [text for row in settings.rows(run) for text in row]
    assert all(text.isprintable() for text in texts)
    assert max(map(len, texts)) <= settings.VALUE_MAX + len("\\u202e") + 1


def test_damage_is_named(tmp_path: Path) -> None:
    run = run_of(tmp_path / "R")
    run.write_observed("node", 1, {"kind": "start", "harness": "0.1.0"})
    (path,) = run.layout.observed.iterdir()
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(StoreCorruptError, match=str(path)):
        list(settings.rows(run))


def test_a_page_has_the_settings_and_the_long_digests_folded(run: Made) -> None:
    found = page(run)
    assert f"temperature {UNSET}" in found.text
    folded = found.source.partition("<details")[2].partition("</details>")[0]
    assert run.run.identity in folded
    assert run.scorer.digest in folded
    assert run.run.content_digest() not in folded
