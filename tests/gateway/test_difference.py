"""Where two requests depart from each other, in words."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.gateway.difference import difference
from tests.gateway.bodies import JPEG, PNG, body, fields, image_part, opening, turn

CALL = ("c1", "bash", "{}")
TALK = [*opening(), *turn("Look.", [CALL], ["a.png"])]


def written(value: Any) -> bytes:
    return json.dumps(value).encode()


def changed(change: Any) -> str:
    value = json.loads(json.dumps(fields(TALK)))
    change(value)
    return difference(written(fields(TALK)), written(value))


def test_a_text_is_shown_around_its_first_other_character() -> None:
    there, now = "x" * 1000 + "odd" + "y" * 1000, "x" * 1000 + "even" + "y" * 1000
    found = difference(body([{"role": "user", "content": there}]), body([{"role": "user", "content": now}]))
    assert found == (
        "at message 0 ('user'), messages[0].content, character 1000: "
        f"the record has ...'{'x' * 40}odd{'y' * 77}'..., and this request ...'{'x' * 40}even{'y' * 76}'..."
    )


def test_what_comes_first_is_named() -> None:
    def both(value: Any) -> None:
        value["messages"][3]["content"] = "b.png"
        value["messages"][1]["content"][3]["text"] = "What?"
        value["tools"] = []

    assert changed(both).startswith("at message 1 ('user'), messages[1].content[3].text, character 2: ")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda v: v.update(max_tokens=1), "at max_tokens: the record has 4096, and this request 1"),
        (lambda v: v.update(temperature=False), "at temperature: the record has 0, and this request false"),
        (lambda v: v.pop("tool_choice"), "at tool_choice: the record has 'auto', and this request nothing"),
        (lambda v: v.update(stop="x"), "at stop: the record has nothing, and this request 'x'"),
        (lambda v: v["messages"].pop(), "at message 3 ('tool'), messages[3]: the record has {"),
        (
            lambda v: v["messages"].append({"role": "user", "content": "more"}),
            "at message 4 ('user'), messages[4]: the record has nothing, and this request {",
        ),
        (
            lambda v: v["messages"][2]["tool_calls"][0]["function"].update(arguments='{"a":1}'),
            "at message 2 ('assistant'), messages[2].tool_calls[0].function.arguments, character 1: ",
        ),
        (lambda v: v["messages"][3].update(role="user"), "at message 3 ('user'), messages[3].role, character 0: "),
        (
            lambda v: v["tools"][0]["function"]["parameters"].update({"$schema": "x"}),
            "at tools[0].function.parameters['$schema'], character 0: ",
        ),
    ],
)
def test_whatever_differs_is_named(change: Any, said: str) -> None:
    assert changed(change).startswith(said)


def test_an_image_is_told_by_its_digest() -> None:
    there, now = ([{"role": "user", "content": [image_part(data)]}] for data in (PNG, JPEG))
    found = difference(body(there), body(now))
    assert "messages[0].content[0].image_url.url" in found
    assert "the record has the image " in found
    assert "base64" not in found


def test_equal_values_differ_in_how_they_are_written() -> None:
    assert difference(b'{"a": 1}', b'{"a":1}') == "in how the JSON is written, at byte 5"


def test_nothing_that_a_terminal_obeys_is_in_it() -> None:
    there = [{"role": "user", "content": "\x1b[2J\u202e\ud800"}]
    found = difference(written(fields(there)), written(fields([{"role": "\x07", "content": "\x1b]0;x\x07"}])))
    assert found.isprintable()


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=300), inner, max_size=4),
    ),
    st.recursive(
        st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=300), inner, max_size=4),
    ),
)
def test_it_is_short_and_printable_whatever_the_bodies_are(there: Any, now: Any) -> None:
    found = difference(written({"messages": there}), written({"messages": now}))
    assert len(found) < 5000
    assert found.isprintable()
