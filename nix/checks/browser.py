"""The browser: it starts, draws text, and loads libraries and fonts of its own only."""

import re
import sys
from pathlib import Path

from job import INPUTS, OUT
from playwright.sync_api import sync_playwright

BROWSER = Path(INPUTS["browser"])
PAGE = "data:text/html,<title>seen</title><p>words <code>fixed</code> <button>button</button>"
MAPPED = re.compile(r"/\S+(?:\.so[.\d]*|\.[ot]t[fc])$", re.MULTILINE)


def loaded() -> set[str]:
    """The libraries and fonts that the browser's processes have mapped into their memory."""
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        if (process / "exe").resolve() == BROWSER / "libexec/chromium/chromium":
            found |= set(MAPPED.findall((process / "maps").read_text()))
    return found


def main() -> None:
    """Open a page; list the version and what was loaded in ``OUT``."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=BROWSER / "bin/chromium")
        page = browser.new_page()
        page.goto(PAGE)
        if page.title() != "seen":
            sys.exit(f"The browser shows {page.title()!r} instead of the page.")
        if len(page.screenshot()) < 1000:
            sys.exit("The browser draws nothing.")
        used, version = sorted(loaded()), browser.version
        browser.close()
    strangers = [path for path in used if not path.startswith(f"{BROWSER}/")]
    if strangers or not any(path.endswith(".ttf") for path in used):
        sys.exit(f"The browser should load its own libraries and fonts only; it has {used}")
    OUT.write_text("\n".join([version, *used]) + "\n")


main()
