"""docs/scripting.md names every schema."""

from harness.cli import schemas
from tests.docs.documents import DOCS, Page


def test_every_schema_is_named() -> None:
    spans = {word for _, span in Page.read(DOCS / "scripting.md").spans() for word in span.split()}
    assert [name for name in schemas.names() if name not in spans] == []
