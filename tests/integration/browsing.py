"""Looking at a page as its readers do: the pinned Chromium, which can reach no network, and what it was asked for.

The browser stands in a network namespace without a device, and its profile is a new one. Its own sandbox is off: it
needs set-user-id programs or rights that a container may not give, and the pages are our own.
"""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import attrs
import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page

# Whoever runs unit tests alone needs no Playwright.
_api = pytest.importorskip("playwright.sync_api")
sync_playwright, expect = _api.sync_playwright, _api.expect

# Places that are in the page or on this disk.
HERE: Final = ("file:", "data:", "blob:", "about:")

# What Chromium would ask of the network by itself, beyond what Playwright switches off.
QUIET: Final = (
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-pings",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)


@attrs.define
class Seen:
    """What went wrong on a page, and which places other than itself it asked for."""

    errors: list[str] = attrs.field(factory=list)
    strangers: list[str] = attrs.field(factory=list)

    def watch(self, page: "Page") -> None:
        """Hear what happens on ``page``."""
        page.on("console", lambda message: self._console(message))
        page.on("pageerror", lambda error: self.errors.append(error.message))
        page.on("dialog", lambda dialog: self._dialog(dialog))
        page.context.on("request", lambda request: self._request(request.url))

    def _dialog(self, dialog: "Dialog") -> None:
        self.errors.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _console(self, message: "ConsoleMessage") -> None:
        if message.type in ("error", "warning"):  # where a page may not load something, that is an error too
            self.errors.append(message.text)

    def _request(self, url: str) -> None:
        if not url.startswith(HERE):
            self.strangers.append(url)

    def check(self) -> None:
        """Fails where anything was seen."""
        assert self.errors == []
        assert self.strangers == []


@attrs.define
class Chromium:
    """A running browser."""

    browser: "Browser"

    @contextlib.contextmanager
    def watched(self, **settings: Any) -> Iterator[tuple["Page", Seen]]:
        """A page of a new profile, and what is seen on it; ``settings`` are Playwright's of a context."""
        settings = {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light", **settings}
        with contextlib.closing(self.browser.new_context(**settings)) as context:
            page, seen = context.new_page(), Seen()
            page.set_default_timeout(15_000)
            seen.watch(page)
            yield page, seen

    @contextlib.contextmanager
    def page(self, **settings: Any) -> Iterator["Page"]:
        """The same; at the end it is checked that nothing was seen."""
        with self.watched(**settings) as (page, seen):
            yield page
            seen.check()


def _executable(folder: Path) -> Path:
    """What starts the browser in a network namespace of its own."""
    unshare = Path(os.environ["HARNESS_RUNTIME"], "bin/unshare")
    script = folder / "chromium"
    script.write_text(
        f'#!/bin/sh\nexec {unshare} --user --map-current-user --net -- {os.environ["HARNESS_BROWSER"]} "$@"\n'
    )
    script.chmod(0o755)
    return script


@contextlib.contextmanager
def running() -> Iterator[Chromium]:
    """The pinned browser, as long as it is needed."""
    if not os.environ.get("HARNESS_BROWSER"):
        pytest.skip("HARNESS_BROWSER is not set: run these by `nix run .#tests`")
    with tempfile.TemporaryDirectory(prefix="browser-") as name, sync_playwright() as driver:
        environment = {"HOME": name, "XDG_CACHE_HOME": f"{name}/cache", "LANG": "C.UTF-8"}
        browser = driver.chromium.launch(executable_path=_executable(Path(name)), args=QUIET, env=environment)
        with contextlib.closing(browser):
            yield Chromium(browser)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Chromium]:
    """The browser, for the tests of a module."""
    with running() as browser:
        yield browser


@pytest.fixture
def page(chromium: Chromium) -> Iterator["Page"]:
    """A page, on which nothing goes wrong and which asks for nothing."""
    with chromium.page() as page:
        yield page
