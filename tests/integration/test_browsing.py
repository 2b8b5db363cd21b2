"""What tests of pages stand on: the browser is the pinned one, reaches nothing, and nothing it does goes unnoticed."""

import json
import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.integration.browsing import Chromium, chromium, page

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.integration
__all__ = ["chromium", "page"]

PINS = Path(__file__).resolve().parents[2] / "pins"


def test_the_browser_is_the_pinned_one(chromium: Chromium) -> None:
    pinned = json.loads((PINS / "npm.json").read_text())["@sparticuz/chromium"]["version"]
    assert chromium.browser.version.split(".")[0] == pinned.split(".")[0]


def test_it_draws_with_pinned_fonts(page: "Page") -> None:
    page.set_content("<p style='font-family: sans-serif'>words</p>")
    session = page.context.new_cdp_session(page)
    for domain in ("DOM", "CSS"):
        session.send(f"{domain}.enable")
    root = session.send("DOM.getDocument")["root"]["nodeId"]
    node = session.send("DOM.querySelector", {"nodeId": root, "selector": "p"})["nodeId"]
    fonts = session.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
    assert [font["familyName"] for font in fonts] == ["Open Sans"]


def test_a_request_is_noticed_and_reaches_nothing(chromium: Chromium) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, chromium.watched() as (page, seen):
        url = f"http://127.0.0.1:{server.getsockname()[1]}/picture.png"
        page.set_content(f"<img src='{url}'>")
        assert seen.strangers == [url]
        server.settimeout(0.5)
        with pytest.raises(TimeoutError):
            server.accept()
        with pytest.raises(AssertionError):
            seen.check()


def test_a_request_that_the_page_may_not_make_is_noticed(chromium: Chromium) -> None:
    allowed = "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'\">"
    with chromium.watched() as (page, seen):
        page.set_content(f"{allowed}<img src='http://192.0.2.1/picture.png'>")
        assert ["Content Security Policy" in error for error in seen.errors] == [True]


@pytest.mark.parametrize(
    ("script", "noticed"),
    [("console.error('one')", "one"), ("throw new Error('two')", "two"), ("alert('three')", "dialog: three")],
)
def test_what_a_script_does_wrong_is_noticed(chromium: Chromium, script: str, noticed: str) -> None:
    with chromium.watched() as (page, seen):
        page.set_content(f"<script>{script}</script>")
        assert seen.errors == [noticed]


def test_a_profile_holds_nothing_of_another(chromium: Chromium, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<p>page</p>")
    for _ in range(2):
        with chromium.page() as page:
            page.goto((tmp_path / "page.html").as_uri())
            assert page.evaluate("localStorage.getItem('key')") is None
            page.evaluate("localStorage.setItem('key', 'value')")


def test_the_environment_names_the_script_that_finds_barriers() -> None:
    assert b"axe" in Path(os.environ["HARNESS_AXE"]).read_bytes()[:200]
