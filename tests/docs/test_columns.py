"""What the documents say of an export's columns is what the program writes."""

from harness.report.export.table import COLUMNS
from tests.docs.documents import DOCS, Page


def test_every_column_of_the_parquet_is_in_the_docs() -> None:
    named = {name for _, span in Page.read(DOCS / "export.md").spans() for name in span.split()}
    assert [name for name in COLUMNS if name not in named] == []
