"""What a report of the whole benchmark costs: its size, the time to make it, and the time until a reader can use it.

Not collected by default. Run it by name, on a machine that does nothing else:

    nix run .#tests -- tests/speed/report.py -s

388 rollouts, each with a picture of 200 kB. The first three times count from the call that opens the page: the first
row is there, the whole page was read (DOMContentLoaded), and its load has ended. Then how long a click on the first row
takes to open its rollout, and the first search, which goes through all talks.
"""

import os
import statistics
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests import synthetic
from tests.integration.browsing import Chromium, running
from tests.integration.running import command

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.integration

SHAPE = synthetic.Shape(rollouts=388, image_bytes=200_000)
TIMES = 5
SINCE_OPENED = "performance.getEntriesByType('navigation')[0]"


def test_report(tmp_path: Path) -> None:
    run = tmp_path / "run"
    synthetic.make(run, SHAPE)
    begun, used = time.monotonic(), _children()
    subprocess.run(command("report", run), check=True)
    report = run / "report.html"
    took, worked = time.monotonic() - begun, _children() - used
    print(f"\nmade in {took:.1f} s, {worked:.1f} s of CPU; {report.stat().st_size / 1e6:.1f} MB")
    with running() as chromium:
        rows = [_opened(chromium, report.as_uri()) for _ in range(TIMES)]
    for name in rows[0]:
        values = [row[name] for row in rows]
        print(f"{name:<22} min {min(values):6.2f}  median {statistics.median(values):6.2f}  max {max(values):6.2f} s")


def _children() -> float:
    used = os.times()
    return used.children_user + used.children_system


def _opened(chromium: Chromium, address: str) -> dict[str, float]:
    with chromium.page() as page:
        begun = time.monotonic()
        page.goto(address, wait_until="commit")
        page.locator("#rollouts tbody tr").first.wait_for()
        found = {"first row": time.monotonic() - begun}
        page.wait_for_load_state("load")
        found["DOMContentLoaded"] = page.evaluate(f"{SINCE_OPENED}.domContentLoadedEventEnd") / 1000
        found["load"] = page.evaluate(f"{SINCE_OPENED}.loadEventEnd") / 1000
        found["rollout opened"] = _timed(
            page, lambda: page.locator("#rollouts tbody a").first.click(), "#rollout[open] h2"
        )
        page.keyboard.press("Escape")
        found["searched"] = _timed(page, lambda: page.locator("#search").fill("nobody wrote this"), "#none")
        return found


def _timed(page: "Page", act: Callable[[], None], shown: str) -> float:
    begun = time.monotonic()
    act()
    page.locator(shown).wait_for()
    return time.monotonic() - begun
