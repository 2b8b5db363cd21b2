"""What the documents list is what the program has."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import get_args

from harness import errors
from harness.agents.opencode import families, outcomes
from harness.gateway import chain, printed_parts
from harness.report.export.table import COLUMNS
from harness.run import recording
from tests.docs.documents import DOCS, Page
from tests.synthetic import Shape, make

FLAGS = (
    *(chain.OFF_CHAIN, chain.FORK, chain.DISAGREES, chain.SHOWS_MORE, chain.SHOWS_LESS),
    *(families.DIFFERS, printed_parts.PRINTED_PARTS, recording.TOKENS_MISSING),
)


def unnamed(page: str, names: Iterable[str]) -> list[str]:
    """Those names that a page doesn't give."""
    spans = {word for _, span in Page.read(DOCS / page).spans() for word in span.split()}
    return sorted(set(names) - spans)


def test_every_column_of_the_parquet() -> None:
    assert unnamed("export.md", COLUMNS) == []


def test_every_outcome() -> None:
    assert unnamed("outcomes.md", (*get_args(outcomes.Measured), *get_args(outcomes.Masked))) == []


def test_every_masked_outcome_has_advice() -> None:
    advised = {"no-model-call", "image-withheld"}  # ours or the agent's own: their reason says all there is
    assert unnamed("troubleshooting.md", set(get_args(outcomes.Masked)) - advised) == []


def test_every_flag() -> None:
    assert unnamed("results.md", FLAGS) == []


def test_every_key_of_a_summary(tmp_path: Path) -> None:
    make(tmp_path / "R", Shape(rollouts=6, tasks=3, calls=2))
    summary = json.loads((tmp_path / "R/summary.json").read_bytes())
    assert unnamed("results.md", set(summary) - {"_sha256"}) == []


def test_every_exit_status() -> None:
    statuses = {str(value) for name, value in vars(errors).items() if name.startswith("EXIT_")}
    table = (DOCS / "results.md").read_text().split("## Exit status\n")[1]
    assert set(re.findall(r"^\| (\d+) \|", table, re.MULTILINE)) == statuses
