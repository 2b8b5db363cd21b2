"""A page as a whole: what a browser may do with it, what drives it, and what its figures say."""

import base64
import hashlib
import re
import shutil
from itertools import pairwise
from pathlib import Path

import pytest

from harness.report.html import figures
from harness.report.html.making import Wanted, make
from harness.report.html.page import STEP
from tests.report.html.pages import Page, page, read
from tests.report.runs import Made, made


@pytest.fixture
def played(run: Made) -> Page:
    run.answered("1", "7", 1.0)
    run.unanswered("2", "task-timeout")
    run.attempt("3", kind="upstream-failed", chain=())
    return page(run)


def allowed(found: Page) -> dict[str, str]:
    """The page's content security policy by its directives."""
    (policy,) = (one["content"] for one in found.attributes("meta") if one.get("http-equiv"))
    assert policy is not None
    return dict(directive.strip().split(" ", 1) for directive in policy.split(";"))


def test_the_browser_may_run_this_script_show_images_of_the_page_and_nothing_else(played: Page) -> None:
    def digest(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    assert allowed(played) == {
        "default-src": "'none'",
        "script-src": digest("".join(played.scripts)),
        "style-src": digest("".join(played.styles)),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }
    assert len(played.scripts) == 1


def test_the_policy_stands_before_all_that_it_is_about(played: Page) -> None:
    tags = [tag for tag, _ in played.elements]
    assert tags.index("style") > tags.index("meta") + 1
    assert played.source.index("Content-Security-Policy") < played.source.index("<link")


def test_nothing_is_asked_for_from_anywhere(played: Page) -> None:
    for tag, found in played.elements:
        for name in ("src", "href", "action", "srcset", "poster", "data"):
            value = found.get(name)
            assert value is None or value.startswith("#") or value == "data:,", f"{tag} {name}={value}"
    assert "url(" not in "".join(played.styles)
    assert "@import" not in "".join(played.styles)


def test_no_attribute_holds_code_or_style(played: Page) -> None:
    for tag, found in played.elements:
        assert [name for name in found if name.startswith("on") or name == "style"] == [], tag


@pytest.mark.parametrize(
    "name",
    [
        *("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "DOMParser"),
        *("fetch(", "XMLHttpRequest", "WebSocket", "sendBeacon", "import(", "srcdoc", "setHTML"),
    ],
)
def test_the_script_makes_no_elements_of_text_and_asks_nobody(played: Page, name: str) -> None:
    assert name not in played.scripts[0]


def test_what_drives_the_page_is_there(played: Page) -> None:
    ids = [found["id"] for _, found in played.elements if "id" in found]
    assert len(ids) == len(set(ids))
    assert {"rollouts", "search", "count", "rollout", "theme", "help", "clear", "picture"} <= set(ids)
    assert {found["name"] for found in played.attributes("select")} == {"outcome", "verdict", "category", "flag"}
    sorts = {found["data-sort"] for found in played.attributes("button") if "data-sort" in found}
    assert sorts == {
        *("task", "reward", "answer", "gold", "outcome", "category", "subtype", "calls", "tokens", "time", "flags")
    }
    (count,) = (found for _, found in played.elements if found.get("id") == "count")
    assert count["aria-live"] == "polite"


def test_parts_of_a_rollout_are_named_in_the_script(played: Page) -> None:
    parts = set(re.findall(r"\bpart\('(\w+)'", played.scripts[0]))
    assert {"puzzle", "talk", "answer", "gold", "verdict", "reason", "egress", "flags", "record"} <= parts


def test_headings_go_down_by_one(played: Page) -> None:
    levels = [int(tag[1]) for tag, _ in played.elements if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert all(later - earlier <= 1 for earlier, later in pairwise(levels))


def test_the_figures_are_those_of_the_summary(played: Page) -> None:
    assert "Mean reward 0.5000 95 % interval 0.095 to 0.905" in played.text
    assert "Coverage 66.7 % 2 of 3 measured" in played.text
    assert "1 right · 0 wrong · 1 no answer · 1 masked" in played.text
    assert "Bounds 0.3333 to 0.6667 the mean if all masked rollouts had scored 0" in played.text
    assert "Masked 1 rollout in no mean" in played.text
    assert "upstream-failed 1 masked" in played.text
    assert "not finished" not in played.text


def test_each_count_of_a_verdict_leads_to_its_rollouts(played: Page) -> None:
    found = {found["href"] for found in played.attributes("a") if "data-filter" in found}
    assert {href for href in found if (href or "").startswith("#verdict=")} == {
        *("#verdict=right", "#verdict=no-answer", "#verdict=masked")
    }


def test_there_are_no_bounds_where_nothing_is_masked(run: Made) -> None:
    for task in ("1", "2", "3"):
        run.answered(task, "7", 1.0)
    assert "Bounds" not in page(run).text


def test_a_group_of_which_nothing_was_measured_has_no_number(played: Page) -> None:
    assert "Type 3 not measured 0 of 1" in played.text
    assert "Type 2 0.0000 0.000 to 0.793 1 of 1" in played.text


def test_a_run_that_is_not_at_its_end_says_so(run: Made) -> None:
    run.answered("1", "7", 1.0)
    run.attempt("2", "\\boxed{A}")
    text = page(run).text
    assert "This run is not finished: 1 of 3 not played to an end, 1 of 3 not graded." in text


def test_a_run_of_which_nothing_was_played(run: Made) -> None:
    found = page(run)
    assert "Mean reward not measured There is no mean of nothing." in found.text
    assert "3 of 3 not played to an end" in found.text
    assert [row.text("reward").split() for row in found.rows] == [["masked"]] * 3
    assert found.rollout(0)["turns"] == []


def test_a_run_of_which_nothing_was_measured(run: Made) -> None:
    for task in ("1", "2", "3"):
        run.attempt(task, kind="upstream-failed", chain=())
    found = page(run)
    assert "Mean reward not measured" in found.text
    assert "Coverage 0.0 % 0 of 3 measured" in found.text
    assert "not finished" not in found.text


def test_a_run_with_repeats_has_what_they_add(tmp_path: Path) -> None:
    run = made(tmp_path / "R", {"1": "7"}, repeats=2)
    run.answered("1", "7", 1.0, repeat=0)
    run.answered("1", "8", 0.0, repeat=1)
    text = page(run).text
    assert "pass@1 0.5000" in text
    assert "pass@2 1.0000" in text
    assert "majority@2 0.5000" in text


def test_the_first_rows_are_shown_of_a_run_of_many(tmp_path: Path) -> None:
    found = page(made(tmp_path / "R", {str(task): "7" for task in range(1, STEP + 3)}))
    assert [row.attributes["data-task"] for row in found.rows if "hidden" in row.attributes] == ["501", "502"]
    assert f"const STEP = {STEP};" in found.scripts[0]


def test_equal_run_folders_give_equal_pages_wherever_they_are(run: Made, tmp_path: Path) -> None:
    run.answered("1", "7", 1.0)
    run.attempt("2", kind="upstream-failed", chain=())
    root = run.run.layout.root
    copy = shutil.copytree(root, tmp_path / "somewhere" / "else")
    for folder in (root, copy):
        make(folder, Wanted())
    assert read(root / "report.html") == read(copy / "report.html")
    assert str(tmp_path) not in read(root / "report.html")


def test_the_names_of_the_policy_and_the_judge_are_text(tmp_path: Path) -> None:
    run = made(tmp_path / "R", model="</title><script>alert(1)</script>\u202e")
    found = page(run)
    assert "<script>alert" not in found.source
    assert "</title><script>alert(1)</script>\\u202e" in found.text


@pytest.mark.parametrize(
    ("values", "expected"), [([3.0], 3.0), ([1.0, 2.0], 1.95), ([float(n) for n in range(101)], 95.0)]
)
def test_the_95th_percentile(values: list[float], expected: float) -> None:
    assert figures.percentile95(values) == pytest.approx(expected)
