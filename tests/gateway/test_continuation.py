import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.gateway import Answer, ToolCall
from harness.gateway.continuation import continues
from harness.gateway.messages import read_message
from tests.gateway.bodies import PNG, attached, image_part, text_part, turn

ANSWER = Answer(text="Look.", tool_calls=(ToolCall("c1", "bash", '{"command": "ls"}'),))
CALL = ("c1", "bash", '{"command":"ls"}')


def goes_on(messages: list[Any], answer: Answer = ANSWER) -> bool:
    return continues(answer, [read_message(message) for message in messages])


def repeated(name: str, arguments: str, given: ToolCall) -> bool:
    return goes_on(turn("", [(given.id, name, arguments)], ["x"]), Answer(tool_calls=(given,)))


def test_an_answer_and_its_results() -> None:
    assert goes_on(turn("Look.", [CALL], ["a.png"]))


def test_images_that_tools_returned() -> None:
    assert goes_on([*turn("Look.", [CALL], ["read"]), attached(PNG, PNG)])
    error = {"role": "user", "content": [text_part("Attached media from tool result:"), text_part("ERROR: no pdf")]}
    assert goes_on([*turn("Look.", [CALL], ["read"]), error])


@pytest.mark.parametrize(
    "messages",
    [
        turn("Look", [CALL], ["x"]),
        turn("", [CALL], ["x"]),
        turn("Look.", [("c2", *CALL[1:])], ["x"]),
        turn("Look.", [("c1", "read", CALL[2])], ["x"]),
        turn("Look.", [("c1", "bash", '{"command":"rm"}')], ["x"]),
        turn("Look.", [CALL, ("c2", "bash", "{}")], ["x", "y"]),
        turn("Look.", [CALL], ["x"])[:1],
        [*turn("Look.", [CALL], ["x"]), *turn("Look.", [CALL], ["x"])[1:]],
        [{**turn("Look.", [CALL], ["x"])[0], "reasoning_content": "Say C."}, turn("Look.", [CALL], ["x"])[1]],
        [{"role": "assistant", "content": "Look."}, {"role": "user", "content": "Say C."}],
        [turn("Look.", [CALL], ["x"])[0], {"role": "tool", "tool_call_id": "c2", "content": "x"}],
        [turn("Look.", [CALL], ["x"])[0], {"role": "user", "content": "x"}],
        [*turn("Look.", [CALL], ["x"]), {"role": "user", "content": "Say C."}],
        [*turn("Look.", [CALL], ["x"]), {"role": "user", "content": "Attached media from tool result:"}],
        [*turn("Look.", [CALL], ["x"]), {"role": "user", "content": [image_part(PNG)]}],
        [*turn("Look.", [CALL], ["x"]), attached(PNG), attached(PNG)],
        [*turn("Look.", [CALL], ["x"]), {"role": "system", "content": "Say C."}],
        [*turn("Look.", [CALL], ["x"]), {**attached(PNG), "content": [*attached(PNG)["content"], text_part("Say C.")]}],
    ],
)
def test_anything_else_does_not_go_on(messages: list[Any]) -> None:
    assert not goes_on(messages)


def test_an_answer_without_tool_calls_is_the_end() -> None:
    said = {"role": "assistant", "content": "C"}
    assert not goes_on([said], Answer(text="C"))
    assert not goes_on([said, attached(PNG)], Answer(text="C"))
    assert not goes_on([said, {"role": "user", "content": "And?"}], Answer(text="C"))


def test_results_stand_in_the_order_of_the_calls() -> None:
    answer = Answer(tool_calls=(ToolCall("a", "bash", "{}"), ToolCall("b", "bash", "{}")))
    said, first, second = turn("", [("a", "bash", "{}"), ("b", "bash", "{}")], ["1", "2"])
    assert goes_on([said, first, second], answer)
    assert not goes_on([said, second, first], answer)
    assert not goes_on([said, first, first], answer)


def test_calls_may_stand_in_the_order_in_which_they_were_complete() -> None:
    answer = Answer(tool_calls=(ToolCall("a", "bash", "{}"), ToolCall("b", "bash", "{}")))
    assert goes_on(turn("", [("b", "bash", "{}"), ("a", "bash", "{}")], ["2", "1"]), answer)


def test_of_calls_with_one_id_any_may_come_back_once() -> None:
    answer = Answer(tool_calls=(ToolCall("a", "bash", '{"command":"sleep 9"}'), ToolCall("a", "read", '{"x":1}')))
    assert goes_on(turn("", [("a", "bash", '{"command":"sleep 9"}')], ["1"]), answer)
    assert goes_on(turn("", [("a", "read", '{"x":1}')], ["1"]), answer)
    assert not goes_on(turn("", [("a", "read", '{"x":2}')], ["1"]), answer)
    assert not goes_on(turn("", [("a", "bash", '{"command":"sleep 9"}'), ("a", "read", '{"x":1}')], ["1", "1"]), answer)


def test_half_characters_come_back_replaced() -> None:
    answer = Answer(text="a\ud83d", reasoning="\ude00", tool_calls=ANSWER.tool_calls)
    said, result = turn("a\ufffd", [CALL], ["x"])
    assert goes_on([said | {"reasoning_content": "\ufffd"}, result], answer)


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        ("", "{}"),
        ("  ", "{}"),
        ("null", '{"value":null}'),
        ("[1]", '{"value":[1]}'),
        ("12", '{"value":12}'),
        (' {"a" : 1.0 , "b":[ ] }\n', '{"a":1,"b":[]}'),
        ('{"10":1,"2":true}', '{"2":true,"10":1}'),
        ('{"a":1,"a":2}', '{"a":2}'),
        ('{"a":1e400,"b":-0.0,"c":1e21}', '{"a":null,"b":0,"c":1e+21}'),
        ('{"a":12345678901234567890}', '{"a":12345678901234567000}'),
        (r'{"a":"\u00e9\ud83d"}', '{"a":"é\ufffd"}'),
        (r'{"a":"\u00e9\ud83d"}', r'{"a":"é\ud83d"}'),
    ],
)
def test_arguments_come_back_as_javascript_writes_them(arguments: str, written: str) -> None:
    assert repeated("bash", written, ToolCall("c", "bash", arguments))


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        ('{"a":1}', '{"a":true}'),
        ('{"a":1}', '{"a":"1"}'),
        ('{"a":null}', "{}"),
        ('{"a":0}', '{"a":null}'),
        ("{not json", "{not json"),
        ("{not json", "{}"),
        ("NaN", '{"value":null}'),
    ],
)
def test_other_arguments_do_not_go_on(arguments: str, written: str) -> None:
    assert not repeated("bash", written, ToolCall("c", "bash", arguments))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), JSON), st.booleans())
def test_any_arguments_go_on_however_they_are_spaced(value: dict[str, object], ascii_only: bool) -> None:
    written = json.dumps(value, ensure_ascii=ascii_only, separators=(",", ":"))
    assert repeated("bash", written, ToolCall("c", "bash", json.dumps(value, indent=3)))


@given(st.text(), st.text())
def test_any_text_can_be_compared(arguments: str, written: str) -> None:
    assert repeated("bash", written, ToolCall("c", "bash", arguments)) in (True, False)


def test_a_name_in_capitals_may_come_back_small() -> None:
    assert repeated("bash", "{}", ToolCall("c", "Bash", "{}"))
    assert not repeated("Bash", "{}", ToolCall("c", "bash", "{}"))


def test_a_call_that_could_not_be_made_comes_back_as_invalid() -> None:
    said = json.dumps({"tool": "nosuch", "error": "Model tried to call unavailable tool 'nosuch'."})
    assert repeated("invalid", said, ToolCall("c", "nosuch", '{"a":1}'))
    assert not repeated("invalid", said, ToolCall("c", "other", '{"a":1}'))
    assert not repeated("invalid", '{"tool":"nosuch"}', ToolCall("c", "nosuch", "{}"))
    assert not repeated("invalid", "{", ToolCall("c", "nosuch", "{}"))


def test_ids_are_cleaned_where_the_model_id_reads_like_claudes() -> None:
    answer = Answer(tool_calls=(ToolCall("call.1:x/é", "bash", "{}"),))
    assert goes_on(turn("", [("call_1_x__", "bash", "{}")], ["x"]), answer)
