"""What the documents say of the program is what it does."""

import re
from pathlib import Path

import pytest

from harness.report.export.table import COLUMNS

pytestmark = pytest.mark.integration  # the documents are no part of what unit tests are built from

DOCS = Path(__file__).parents[2] / "docs"


def test_every_column_of_the_parquet_is_in_the_docs() -> None:
    page = (DOCS / "export.md").read_text()
    assert [name for name in COLUMNS if not re.search(rf"`{name}`", page)] == []
