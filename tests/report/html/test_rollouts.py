"""What a page says of each rollout: masked is never a number, and what others wrote stays text."""

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from harness.errors import StoreCorruptError
from harness.report.html import rollouts
from harness.run.plan import Item
from harness.run.rows import Looked
from tests.gateway.bodies import PNG, attached, body, data_url, opening, turn
from tests.report.html.pages import page
from tests.report.runs import OTHER, Made, made, scored
from tests.report.talks import reply

CALL = ("call_1", "bash", '{"command": "ls"}')


def drawn(colour: str) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (30, 20), colour).save(out, "PNG")
    return out.getvalue()


def judge_failed(run: Made) -> None:
    run.answered("1", "7", None)


def upstream_failed(run: Made) -> None:
    run.attempt("1", kind="upstream-failed", chain=())


def not_graded(run: Made) -> None:
    run.attempt("1", "\\boxed{7}")


def not_played(run: Made) -> None:
    pass


@pytest.mark.parametrize(
    ("play", "outcome"),
    [
        (judge_failed, "judge_failed"),
        (upstream_failed, "upstream-failed"),
        (not_graded, "not-graded"),
        (not_played, "unfinished"),
    ],
)
def test_a_masked_rollout_has_no_number(run: Made, play: Callable[[Made], None], outcome: str) -> None:
    play(run)
    found = page(run)
    row, entry = found.rows[0], found.entries[0]
    attributes, text = row.cells["c-reward"]
    assert "masked" in (attributes["class"] or "").split()
    assert text.split() == ["masked"]
    assert (entry["reward"], entry["verdict"], entry["outcome"]) == (None, "masked", outcome)


@pytest.mark.parametrize(("reward", "word"), [(1.0, "1 right"), (0.0, "0 wrong"), (0.25, "0.25 partial")])
def test_a_measured_rollout_has_its_reward_and_a_word(run: Made, reward: float, word: str) -> None:
    run.attempt("1", "\\boxed{7}")
    run.score("1", scored("7", reward))
    attributes, text = page(run).rows[0].cells["c-reward"]
    assert " ".join(text.split()) == word
    assert "masked" not in (attributes["class"] or "")


def test_without_an_answer_a_rollout_is_neither_wrong_nor_masked(run: Made) -> None:
    run.unanswered("1", "task-timeout")
    run.answered("2", None, 0.0)
    found = page(run)
    assert [" ".join(row.text("reward").split()) for row in found.rows] == ["0 no answer", "0 wrong", "masked"]
    assert [entry["verdict"] for entry in found.entries] == ["no-answer", "wrong", "masked"]
    offered = [one["value"] for one in found.attributes("option")]
    assert [value for value in offered if value in ("right", "wrong", "no-answer", "masked", "not-right")] == [
        *("wrong", "no-answer", "masked", "not-right")
    ]


def test_a_line_has_what_the_list_of_show_has(run: Made) -> None:
    run.attempt("2", kind="upstream-failed", chain=())
    run.answered("2", "A", 0.0)
    row = page(run).rows[1]
    assert (row.attributes["data-task"], row.attributes["data-repeat"]) == ("2", "0")
    shown = {name: row.text(name) for name in ("answer", "gold", "outcome", "category", "subtype", "calls", "tokens")}
    assert shown == {
        "answer": "A",
        "gold": "B",
        "outcome": "answered",
        "category": "Type 2",
        "subtype": "Lines",
        "calls": "1",
        "tokens": "107",
    }


def test_an_opened_rollout_has_its_talk_its_proof_and_its_record(run: Made) -> None:
    later = [*opening(), *turn("I look.", [CALL], ["image.png\n"]), attached(drawn("red"))]
    run.attempt("1", exchanges=[(body(opening()), reply("I look.", CALL)), (body(later), reply("\\boxed{7}"))])
    run.score("1", scored("7", 1.0))
    found = page(run).rollout(0)
    assert [one["role"] for one in found["turns"]] == ["system", "user", "assistant", "tool", "user", "assistant"]
    assert (found["question"], found["gold"], found["reason"]) == ("What is 1?", "7", "They agree.")
    assert found["network"][0][0] in ("NO PROOF", "proof")
    assert "calls" in dict(found["measurements"])
    assert found["record"]["content"]["task"] == "1"


def test_the_last_attempt_is_shown_where_none_counts_and_all_are_named(run: Made) -> None:
    run.attempt("1", kind="sandbox-failed", chain=(), start=1_790_000_000_000_000_000)
    run.attempt("1", kind="upstream-failed", chain=(), start=1_790_000_100_000_000_000)
    found = page(run).rollout(0)
    assert [one["outcome"] for one in found["attempts"]] == ["sandbox-failed", "upstream-failed"]
    assert found["attempt"] == found["attempts"][1]["name"]


def test_a_call_off_the_chain_is_there(run: Made) -> None:
    exchanges = [(body(opening()), reply("\\boxed{7}")), (body(opening("Else?")), reply("Aside."))]
    run.attempt("1", exchanges=exchanges, chain=(0,), flags=("off-chain-calls",))
    found = page(run)
    assert [call["text"] for call in found.rollout(0)["calls_off_chain"]] == ["Aside."]
    assert "off-chain-calls" in found.entries[0]["flags"]


HOSTILE = {
    "the end of a block": "</script><script>alert(1)</script>",
    "a comment": "<!--<script>",
    "an element": '<img src=x onerror="alert(1)">',
    "quotes": "\"'>&amp;&#60;",
    "other line ends": "a\u2028b\u2029c\x85d\rd",
    "a lone surrogate": "a\ud83db",
    "letters that turn the line around": "\u202eabc\u2066",
    "escape sequences": "\x1b[2J\x1b]0;t\x07\x9b31m",
    "NUL": "a\x00b",
    "a script in a URL": "javascript:alert(1)",
    "braces": "{{ 7 * 7 }} {% raw %}",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_whatever_is_said_adds_nothing_to_the_page(tmp_path: Path, text: str) -> None:
    """As the model's words, thoughts, tool, its arguments and output, the answer and a flag."""
    pages = []
    for name, said in (("plain", "harmless"), ("hostile", text)):
        run = made(tmp_path / name)
        called = reply(said, (CALL[0], said[:50], json.dumps({"command": said})), reasoning=said)
        later = [*opening(), *turn(said, [CALL], [said])]
        request = json.dumps(json.loads(body([])) | {"messages": later}).encode()
        answer = reply(f"\\boxed{{{said}}}", reasoning=said)
        run.attempt("1", exchanges=[(body(opening()), called), (request, answer)], flags=(said,))
        run.score("1", scored(said, 0.0))
        pages.append(page(run))
    plain, hostile = pages
    assert [tag for tag, _ in hostile.elements] == [tag for tag, _ in plain.elements]
    assert [sorted(found) for _, found in hostile.elements] == [sorted(found) for _, found in plain.elements]
    assert all(sign.isprintable() or sign == "\n" for sign in hostile.source)
    assert hostile.rollout(0)["turns"][2]["parts"] == [{"text": text}]
    assert hostile.rollout(0)["turns"][2]["reasoning"] == text
    assert hostile.rollout(0)["turns"][3]["parts"] == [{"text": text}]
    assert hostile.entries[0]["answer"] == text


def test_each_image_stands_once_on_the_page(run: Made) -> None:
    red = drawn("red")
    later = [*opening(), *turn("I look.", [CALL], ["x"]), attached(red, red)]
    for task in ("1", "2"):
        exchanges = [(body(opening()), reply("I look.", CALL)), (body(later), reply("\\boxed{7}"))]
        run.attempt(task, exchanges=exchanges)
    images = [name for name in page(run).blocks if name.startswith("i-")]
    assert len(images) == 2
    assert all(page(run).source.count(f'id="{name}"') == 1 for name in images)


def test_the_task_s_own_image_is_the_one_of_its_line(run: Made) -> None:
    later = [*opening(), *turn("I look.", [CALL], ["x"]), attached(drawn("red"))]
    run.attempt("1", exchanges=[(body(opening()), reply("I look.", CALL)), (body(later), reply("\\boxed{7}"))])
    content = run.run.read_attempt("1", 0, run.run.attempt_names("1", 0)[0]).content
    picture = page(run).entries[0]["picture"]
    assert (picture["sha256"], picture["media_type"]) == (content.images[0].blob, "image/png")


SVG = b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'


@pytest.mark.parametrize(("data", "kind"), [(SVG, "svg+xml"), (SVG, "png"), (b"<html>", "gif"), (PNG, "html")])
def test_what_is_no_picture_is_never_shown_as_one(run: Made, data: bytes, kind: str) -> None:
    """No gateway lets such a request through: a record that holds one was made up."""
    part = {"type": "image_url", "image_url": {"url": data_url(data, kind)}}
    messages = [*opening(), {"role": "user", "content": [part]}]
    run.attempt("1", exchanges=[(body(messages), reply("\\boxed{7}"))])
    with pytest.raises(StoreCorruptError, match="holds no conversation"):
        rollouts.read(Looked.open(run.run.layout.root), Item("1", 0))


def test_each_repeat_has_its_line(tmp_path: Path) -> None:
    run = made(tmp_path / "R", {"1": "7"}, repeats=3)
    run.answered("1", "7", 1.0, repeat=1)
    rows = page(run).rows
    assert [(row.attributes["data-repeat"], row.text("reward").split()[-1]) for row in rows] == [
        ("0", "masked"),
        ("1", "right"),
        ("2", "masked"),
    ]


def test_a_scorer_that_is_asked_for_grades_the_page(run: Made) -> None:
    run.answered("1", "7", 1.0)
    run.score("1", scored("7", 0.0), scorer=OTHER)
    assert page(run).entries[0]["verdict"] == "right"
    assert page(run, scorer=OTHER.digest[:12]).entries[0]["verdict"] == "wrong"
