"""The report for everybody: light and dark, on a phone, on paper, without motion, and for who does not see it."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.browsing import Chromium, chromium, expect, page

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.integration
__all__ = ["chromium", "page"]

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "phone": PHONE,
    "dark phone": {**PHONE, "color_scheme": "dark"},
}
# Web Content Accessibility Guidelines 2.2, levels A and AA.
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
ADDRESSES = {"the page": "", "a rollout": "#open=5.0"}


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("place", ADDRESSES)
def test_axe_finds_no_serious_barrier(chromium: Chromium, demo_report: str, look: str, place: str) -> None:
    with chromium.page(reduced_motion="reduce", **LOOKS[look]) as page:
        page.goto(demo_report + ADDRESSES[place])
        for summary in page.locator("#rollout summary").all():
            summary.click()
        page.evaluate(Path(os.environ["HARNESS_AXE"]).read_text())
        found = page.evaluate("rules => axe.run({ runOnly: rules })", RULES)
    assert found["passes"]
    serious = [each for each in found["violations"] if each["impact"] in ("serious", "critical")]
    assert [f"{each['id']}: {[node['html'] for node in each['nodes']]}" for each in serious] == []


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("report", ["demo_report", "large_report", "hostile_report"])
def test_nothing_is_wider_than_the_screen(
    chromium: Chromium, request: pytest.FixtureRequest, report: str, look: str
) -> None:
    with chromium.page(**LOOKS[look]) as page:
        page.goto(request.getfixturevalue(report))
        assert page.evaluate("document.documentElement.scrollWidth <= screen.width")
        page.locator("#rollouts tbody a").first.click()
        assert page.evaluate("document.getElementById('rollout').scrollWidth <= screen.width")


def test_the_theme_follows_the_system_until_it_is_chosen(chromium: Chromium, demo_report: str) -> None:
    with chromium.page(color_scheme="dark") as page:
        page.goto(demo_report)
        paper = "getComputedStyle(document.body).backgroundColor"
        dark = page.evaluate(paper)
        page.locator("#theme").click()
        expect(page.locator("#theme")).to_have_text("Theme: light")
        light = page.evaluate(paper)
        assert light != dark
        page.reload()
        assert page.evaluate(paper) == light
        page.locator("#theme").click()
        assert page.evaluate(paper) == dark


def test_nothing_moves_for_who_wants_no_motion(chromium: Chromium, demo_report: str) -> None:
    for motion, moves in (("no-preference", True), ("reduce", False)):
        with chromium.page(reduced_motion=motion) as page:
            page.goto(demo_report)
            page.locator("#rollouts tbody a").first.click()
            assert (
                page.evaluate("getComputedStyle(document.getElementById('rollout')).animationName !== 'none'") == moves
            )


def test_the_page_can_be_printed(page: "Page", demo_report: str) -> None:
    page.goto(demo_report)
    page.emulate_media(media="print")
    expect(page.locator("#rollouts tbody tr").first).to_be_visible()
    expect(page.locator(".filters")).to_be_hidden()


def test_an_open_rollout_is_printed_whole(page: "Page", demo_report: str) -> None:
    page.goto(f"{demo_report}#open=5.0")
    long = page.pdf().count(b"/Type /Page\n")
    page.keyboard.press("Escape")
    assert long > page.pdf().count(b"/Type /Page\n") > 0


def test_without_scripts_the_figures_and_the_table_can_be_read(chromium: Chromium, demo_report: str) -> None:
    with chromium.page(java_script_enabled=False) as page:
        page.goto(demo_report)
        expect(page.locator("#rollouts tbody tr")).to_have_count(3)
        expect(page.locator(".figure .number")).to_have_text("0.3333")
