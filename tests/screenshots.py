"""Pictures of a run's report, to look at and for the documents: ``screenshots.py RUN FOLDER``.

FOLDER gets light.png, dark.png and phone.png (the whole page), rollout.png and rollout-phone.png (its first rollout),
and report.png. The README's are report.png and rollout.png: 1280 pixels wide, of few colours, so that they stay small.
"""

import argparse
import io
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PIL import Image

from tests.integration.browsing import Chromium, running
from tests.integration.running import command

if TYPE_CHECKING:
    from playwright.sync_api import Page

PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2}
LOOKS: dict[str, dict[str, Any]] = {"light": {}, "dark": {"color_scheme": "dark"}, "phone": PHONE}
ROLLOUTS: dict[str, dict[str, Any]] = {"rollout": {}, "rollout-phone": PHONE}
README = {"viewport": {"width": 1280, "height": 1060}}  # down to the last category of the demo
COLOURS = 64


def drawn(page: "Page") -> None:
    """Wait until every picture that the page shows is there: those of the rows are made when they come near."""
    for row in page.locator("#rollouts tbody tr").all():
        row.scroll_into_view_if_needed()
    page.wait_for_function("[...document.images].every(image => image.complete)")
    page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")


def pictures(chromium: Chromium, report: str, folder: Path) -> None:
    """Write them all."""
    for name, look in LOOKS.items():
        with chromium.page(**look) as page:
            page.goto(report)
            drawn(page)
            page.screenshot(path=folder / f"{name}.png", full_page=True)
    for name, look in ROLLOUTS.items():
        with chromium.page(reduced_motion="reduce", **look) as page:
            page.goto(report)
            page.locator("#rollouts tbody a").first.click()
            small(page, folder / f"{name}.png")
    with chromium.page(**README) as page:
        page.goto(report)
        drawn(page)
        small(page, folder / "report.png")


def small(page: "Page", path: Path) -> None:
    """Write what is seen, in few colours."""
    seen = Image.open(io.BytesIO(page.screenshot()))
    seen.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


def main() -> None:
    """Make the report and its pictures."""
    parser = argparse.ArgumentParser(prog="screenshots", description="Pictures of a run's report.")
    parser.add_argument("run", metavar="RUN", type=Path)
    parser.add_argument("folder", metavar="FOLDER", type=Path)
    arguments = parser.parse_args()
    run, folder = arguments.run, arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    report = folder / "report.html"
    if status := subprocess.run(command("report", run, "--out", report, "--force"), check=False).returncode:
        sys.exit(status)  # the command has said why
    with running() as chromium:
        pictures(chromium, report.resolve().as_uri(), folder)
    report.unlink()


if __name__ == "__main__":
    main()
