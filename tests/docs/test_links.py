"""Links between the documents: each leads somewhere, and each page can be found."""

from urllib.parse import unquote, urlsplit

import pytest

from tests.docs.documents import INDEX, ROOT, Page, pages

PAGES = pages()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_to_a_file_and_a_heading(page: Page) -> None:
    wrong = [f"{page.name}:{link.line}: {link.target}" for link in page.links() if not leads(page, link.target)]
    assert wrong == [], "these links lead nowhere"


def leads(page: Page, target: str) -> bool:
    """Whether there is such a file in the tree, and such a heading in it. What is on the web isn't asked for."""
    parts = urlsplit(target)
    if parts.scheme:
        return parts.scheme == "https"
    path = (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path
    if not path.is_relative_to(ROOT) or not path.exists():
        return False
    return not parts.fragment or (path.suffix == ".md" and parts.fragment in Page.read(path).anchors())


def test_a_link_that_leads_nowhere_is_noticed() -> None:
    page = Page.read(INDEX)
    assert leads(page, "results.md#exit-status")
    assert not leads(page, "results.md#no-such-heading")
    assert not leads(page, "no-such-page.md")
    assert not leads(page, "http://127.0.0.1/")


def test_the_index_leads_to_every_document() -> None:
    linked = {(INDEX.parent / urlsplit(link.target).path).resolve() for link in Page.read(INDEX).links()}
    assert [page.name for page in PAGES if page.path not in linked and page.path != INDEX] == []


def test_the_readme_leads_to_the_index() -> None:
    assert "docs/README.md" in {link.target for link in Page.read(ROOT / "README.md").links()}
