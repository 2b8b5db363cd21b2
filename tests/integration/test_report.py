"""The report in a real browser: finding rollouts, opening them by mouse, key and address, looking at their pictures.

Each test also fails where the page logs an error, may not load something, or asks for anything but itself.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.integration.browsing import Chromium, chromium, expect, page
from tests.integration.reports import TASKS

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.integration
__all__ = ["chromium", "page"]

ROW = "#rollouts tbody tr:visible"
OPEN = "#rollout[open]"


@pytest.fixture
def demo(page: "Page", demo_report: str) -> "Page":
    page.goto(demo_report)
    return page


@pytest.fixture(scope="module")
def opened(chromium: Chromium, large_report: str) -> Iterator["Page"]:
    """The large report, opened once for all tests."""
    with chromium.page() as page:
        page.goto(large_report)
        yield page


@pytest.fixture
def large(opened: "Page") -> "Page":
    """The large report, with nothing searched, sorted or open."""
    opened.evaluate("location.hash = ''")
    expect(opened.locator("#count")).to_have_text("388 of 388 rollouts")
    return opened


def tasks(page: "Page") -> list[str]:
    """The tasks of the rows that are shown, in their order."""
    found: list[str] = page.locator(ROW).evaluate_all("rows => rows.map(row => row.dataset.task)")
    return found


def counted(page: "Page") -> int:
    """How many rollouts the page says that it shows."""
    return int((page.locator("#count").text_content() or "").split()[0])


def test_every_rollout_of_a_real_run_is_in_the_table(demo: "Page") -> None:
    assert tasks(demo) == list(TASKS)
    assert demo.locator("#rollouts .mark").all_inner_texts() == ["1 right", "0 wrong", "0 no answer"]


def test_a_search_finds_words_of_the_talk(large: "Page") -> None:
    large.locator("#search").fill("puzzle 217")
    expect(large.locator("#count")).to_have_text("1 of 388 rollouts")
    assert tasks(large) == ["217"]


@pytest.mark.parametrize("name", ["outcome", "verdict", "category", "flag"])
def test_each_filter_shows_what_its_parts_add_up_to(large: "Page", name: str) -> None:
    select = large.locator(f"select[name={name}]")
    values = select.locator("option").evaluate_all("options => options.map(option => option.value).filter(Boolean)")
    counts = {}
    for value in values:
        select.select_option(value)
        counts[value] = len(tasks(large))
        assert counted(large) == counts[value] > 0
    if name == "verdict":
        assert counts.pop("not-right") == counts["wrong"] + counts["no-answer"]
    if name in ("outcome", "verdict"):
        assert sum(counts.values()) == 388


def test_what_fits_nothing_says_so_and_can_be_taken_back(large: "Page") -> None:
    large.locator("#search").fill("nobody wrote this")
    expect(large.locator("#none")).to_be_visible()
    large.locator("#clear-too").click()
    assert counted(large) == len(tasks(large)) == 388


@pytest.mark.parametrize("clicks", [1, 2])
def test_masked_says_so_and_is_sorted_apart_from_zero(large: "Page", clicks: int) -> None:
    for _ in range(clicks):
        large.locator("th button[data-sort=reward]").click()
    rows = large.locator(ROW).evaluate_all("rows => rows.map(row => row.querySelector('.c-reward').innerText.trim())")
    masked = [place for place, text in enumerate(rows) if text == "masked"]
    assert masked == list(range(388 - len(masked), 388))
    assert 0 < len(masked) == large.locator("#rollouts td.masked").count()
    measured = [float(text.split()[0]) for text in rows[: -len(masked)]]
    assert measured == sorted(measured, reverse=clicks == 2)


def test_numbers_are_sorted_as_numbers(large: "Page") -> None:
    large.locator("th button[data-sort=task]").click()
    assert tasks(large) == [str(number) for number in range(1, 389)]
    expect(large.locator("th:has([data-sort=task])")).to_have_attribute("aria-sort", "ascending")


def test_a_rollout_opens_by_mouse_and_the_focus_returns(demo: "Page") -> None:
    demo.locator("tr[data-task='5'] .c-outcome").click()
    expect(demo.locator(f"{OPEN} h2")).to_have_text("Task 5")
    for part in ("puzzle", "talk", "answer", "gold", "verdict", "reason", "egress", "flags", "record"):
        expect(demo.locator(f"{OPEN} [data-part={part}]")).to_have_count(1)
    assert "bash" in demo.locator("[data-part=talk]").inner_text()
    demo.locator("#close").click()
    expect(demo.locator("tr[data-task='5'] a")).to_be_focused()


def test_a_rollout_without_an_answer_says_so_once(demo: "Page") -> None:
    demo.locator("tr[data-task='8'] a").click()
    assert demo.locator("[data-part=verdict] .mark").inner_text() == "no answer"
    assert demo.locator("[data-part=reason]").inner_text().splitlines()[-1] == "The model's last turn holds no text."
    assert "final answer" not in demo.locator("[data-part=reason]").inner_text()
    assert demo.locator("[data-part=talk] .model").last.inner_text().endswith("(no text)")


def test_everything_can_be_done_by_keys(demo: "Page") -> None:
    press = demo.keyboard.press
    press("/")
    expect(demo.locator("#search")).to_be_focused()
    press("Escape")
    for key in ("j", "j"):
        press(key)
    expect(demo.locator("tr[data-task='5'] a")).to_be_focused()
    press("ArrowUp")
    press("Enter")
    expect(demo.locator(f"{OPEN} h2")).to_be_focused()
    for key, task in (("j", "5"), ("ArrowRight", "8"), ("ArrowRight", "8"), ("k", "5"), ("ArrowLeft", "1")):
        press(key)
        expect(demo.locator(f"{OPEN} h2")).to_have_text(f"Task {task}")
    press("?")
    expect(demo.locator("#help")).to_be_visible()
    press("Escape")
    expect(demo.locator("#help")).to_be_hidden()
    press("Escape")
    expect(demo.locator("#rollout")).to_be_hidden()
    expect(demo.locator("tr[data-task='1'] a")).to_be_focused()


def test_tab_stays_within_an_open_rollout(demo: "Page") -> None:
    demo.locator("tr[data-task='1'] a").press("Enter")
    for _ in range(40):
        demo.keyboard.press("Tab")
        inside = "document.activeElement === document.body || !!document.activeElement.closest('#rollout')"
        assert demo.evaluate(inside)


def test_an_address_opens_the_same_rollout(demo: "Page", chromium: Chromium) -> None:
    demo.locator("#search").fill("discs")
    demo.locator("tr[data-task='1'] a").click()
    expect(demo.locator(f"{OPEN} h2")).to_have_text("Task 1")
    with chromium.page() as other:
        other.goto(demo.url)
        expect(other.locator(f"{OPEN} h2")).to_have_text("Task 1")
        assert other.locator("#search").input_value() == "discs"
        other.go_back()
    demo.go_back()
    expect(demo.locator("#rollout")).to_be_hidden()


def test_an_address_with_a_filter_begins_with_what_it_is_about(page: "Page", demo_report: str) -> None:
    page.goto(demo_report + "#verdict=not-right")
    assert tasks(page) == ["5", "8"]
    expect(page.locator("h2#list")).to_be_in_viewport()
    assert page.evaluate("scrollY > 0")


@pytest.mark.parametrize("hash_", ["#open=99.0", "#open=__proto__", "#sort=nothing&verdict=none&q=%zz", "#%"])
def test_an_address_of_nothing_opens_the_page(page: "Page", demo_report: str, hash_: str) -> None:
    page.goto(demo_report + hash_)
    expect(page.locator("#rollout")).to_be_hidden()
    expect(page.locator("#count")).to_have_text(re.compile("of 3 rollouts"))


def test_every_picture_is_drawn_and_the_puzzle_enlarges(demo: "Page") -> None:
    demo.locator("tr[data-task='1'] a").click()
    for summary in demo.locator(f"{OPEN} [data-part=talk] summary").all():
        summary.click()
    drawn = demo.locator(f"{OPEN} img").evaluate_all(
        "async images => { for (const i of images) await i.decode(); return images.map(i => i.naturalWidth) }"
    )
    assert len(drawn) > 1
    assert all(width > 0 for width in drawn)
    small = demo.locator("[data-part=puzzle] img").bounding_box()
    demo.locator("[data-part=puzzle] button.image").press("Enter")
    large = demo.locator("#picture img").bounding_box()
    assert small is not None
    assert large is not None
    assert large["width"] > small["width"]
    demo.keyboard.press("Escape")
    expect(demo.locator("#picture")).to_be_hidden()
    expect(demo.locator(OPEN)).to_be_visible()


def test_each_row_shows_its_puzzle(demo: "Page") -> None:
    demo.locator("#rollouts").scroll_into_view_if_needed()
    expect(demo.locator("#rollouts .thumb img")).to_have_count(3)
    assert all(
        demo.locator("#rollouts .thumb img").evaluate_all("images => images.map(i => i.complete && i.naturalWidth)")
    )


def test_a_folder_of_pages_works_from_the_disk(page: "Page", demo_folder: str) -> None:
    page.goto(demo_folder)
    assert tasks(page) == list(TASKS)
    page.locator("tr[data-task='5'] a").click()
    expect(page.locator(f"{OPEN} h2")).to_have_text("Task 5")
    assert page.locator("[data-part=puzzle] img").evaluate(
        "async image => { await image.decode(); return image.naturalWidth }"
    )
    page.locator("#next").click()
    expect(page.locator(f"{OPEN} h2")).to_have_text("Task 8")
    page.keyboard.press("Escape")
    page.get_by_role("link", name="All rollouts").last.click()
    expect(page.locator("h2#result")).to_be_visible()


def test_the_record_of_the_attempt_can_be_read(demo: "Page", demo_run: object) -> None:
    demo.locator("tr[data-task='1'] a").click()
    demo.locator("[data-part=record] summary").click()
    assert '"content"' in (demo.locator("[data-part=record] pre").text_content() or "")
