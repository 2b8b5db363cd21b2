"""What a model, a tool, a judge or a data set wrote does nothing in the report, and can be read there."""

from typing import TYPE_CHECKING

import pytest

from tests.integration.browsing import chromium, page
from tests.integration.reports import ATTACK, HIDDEN

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.integration
__all__ = ["chromium", "page"]

SHOWN = ATTACK + HIDDEN.encode("unicode_escape").decode()


@pytest.fixture
def attacked(page: "Page", hostile_report: str) -> "Page":
    """The report with its one rollout open and everything in it unfolded."""
    page.goto(hostile_report)
    page.locator("#rollouts tbody a").click()
    for summary in page.locator("#rollout summary").all():
        summary.click()
    return page


def test_nothing_of_it_runs(attacked: "Page") -> None:
    assert attacked.evaluate("window.owned") is None


def test_it_makes_no_element(attacked: "Page") -> None:
    assert attacked.locator("script:not([type])").count() == 1
    assert attacked.locator("style, title, [onerror], [onload], [src=x], a[href^='javascript:'], b").count() == 2


@pytest.mark.parametrize("part", ["puzzle", "gold", "answer", "reason", "talk"])
def test_it_can_be_read(attacked: "Page", part: str) -> None:
    shown = attacked.locator(f"#rollout [data-part={part}]").inner_text()
    assert (ATTACK if part in ("puzzle", "gold") else SHOWN) in shown


def test_each_thing_that_the_model_wrote_can_be_read(attacked: "Page") -> None:
    given, said, arguments, output = 1, 2, 2, 1
    again = 1  # what it said last
    shown = attacked.locator("#rollout [data-part=talk]").inner_text()
    assert shown.count(SHOWN) >= given + said + arguments + output + again


def test_signs_that_reorder_letters_are_shown_as_escapes(attacked: "Page") -> None:
    text = attacked.locator("body").evaluate("body => body.innerText")
    assert not {"\u202e", "\u2066", "\x1b"} & set(text)


def test_it_does_nothing_in_the_address(page: "Page", hostile_report: str) -> None:
    for name in ("q", "verdict", "category", "sort", "open"):
        page.goto("about:blank")
        page.goto(f"{hostile_report}#{name}=<img src=x onerror=window.owned=6>")
        assert page.evaluate("window.owned") is None
        assert page.locator("img[src=x]").count() == 0


def test_an_image_of_unknown_size_waits_to_be_asked_for(attacked: "Page") -> None:
    assert attacked.locator("img").count() == 0
    attacked.locator("[data-part=puzzle] figure button").click()
    assert attacked.locator("[data-part=puzzle] img").count() == 1
