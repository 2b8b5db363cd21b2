import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.gateway.answer import Answer, Usage, read
from harness.gateway.messages import ToolCall
from tests.gateway.scripted import DONE, chunk, stream


def test_a_stream_is_put_together() -> None:
    usage = {
        "prompt_tokens": 7,
        "completion_tokens": 5,
        "completion_tokens_details": {"reasoning_tokens": 3},
        "prompt_tokens_details": {"cached_tokens": 2},
    }
    data = b"".join(
        [
            chunk({"role": "assistant", "content": ""}),
            chunk({"reasoning_content": "think "}),
            chunk({"reasoning_content": "hard"}),
            chunk({"content": "one "}),
            chunk({"content": "two"}),
            chunk({}, "stop"),
            b"data: " + json.dumps({"choices": [], "usage": usage}).encode() + b"\n\n",
            DONE,
        ]
    )
    assert read(data) == Answer(
        text="one two",
        reasoning="think hard",
        finish_reason="stop",
        usage=Usage(prompt=7, completion=5, reasoning=3, cached=2),
        upstream_id="up-1",
        model="real",
        done=True,
    )
    assert read(data).whole


def test_one_object_is_read_too() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
    message = {"role": "assistant", "content": None, "reasoning": "r", "tool_calls": [call, {**call, "id": "c2"}]}
    data = json.dumps({"id": "x", "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]})
    answer = read(data.encode())
    assert answer.whole
    assert answer.reasoning == "r"
    assert answer.tool_calls == (ToolCall("c1", "bash", "{}"), ToolCall("c2", "bash", "{}"))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"data: ",
        stream("a").removesuffix(DONE),
        chunk({"content": "a"}) + DONE,
        stream("a")[:-1],
        b"<html>Bad gateway</html>",
        b"{",
        b'{"choices": []}',
        b"data: {\n\n" + stream("a"),
        b"data: []\n\n" + stream("a"),
        b'data: {"error": {"message": "CUDA"}}\n\n' + DONE,
        stream("a").removesuffix(DONE) + b'data: {"error": {"message": "late"}}\n\n' + DONE,
    ],
)
def test_what_is_cut_or_holds_an_error_is_no_whole_answer(data: bytes) -> None:
    assert not read(data).whole


def test_the_error_in_a_stream_is_kept() -> None:
    assert read(b'data: {"error": {"message": "CUDA", "code": 500}}\n\n').error == '{"message": "CUDA", "code": 500}'


def delta(index: int | None, arguments: str, call_id: str | None = None, name: str | None = None) -> bytes:
    piece: dict[str, object] = {"function": {"arguments": arguments, **({"name": name} if name is not None else {})}}
    piece |= {"index": index} if index is not None else {}
    piece |= {"id": call_id} if call_id is not None else {}
    return chunk({"tool_calls": [piece]})


def calls(*deltas: bytes) -> Answer:
    return read(b"".join(deltas) + chunk({}, "tool_calls") + DONE)


def test_pieces_of_several_calls_may_come_mixed() -> None:
    answer = calls(delta(1, '{"b"', "c1", "read"), delta(0, "", "c0", "bash"), delta(1, ": 1}"), delta(0, "{}"))
    assert answer.tool_calls == (ToolCall("c0", "bash", "{}"), ToolCall("c1", "read", '{"b": 1}'))


def test_what_comes_after_complete_arguments_is_dropped_as_opencode_does() -> None:
    assert calls(delta(0, "{}", "c0", "bash"), delta(0, " {}")).tool_calls[0].arguments == "{}"
    assert calls(delta(0, "1", "c0", "bash"), delta(0, "2")).tool_calls[0].arguments == "1"


def test_braces_within_a_string_complete_nothing() -> None:
    pieces = ['{"c": "a}', "}", '"', "}", "}"]
    answer = calls(delta(0, "", "c0", "bash"), *(delta(0, piece) for piece in pieces))
    assert answer.tool_calls[0].arguments == '{"c": "a}}"}'


def test_calls_with_one_id_are_both_there() -> None:
    answer = calls(delta(0, '{"a":1}', "c", "bash"), delta(1, '{"a":2}', "c", "bash"))
    assert answer.tool_calls == (ToolCall("c", "bash", '{"a":1}'), ToolCall("c", "bash", '{"a":2}'))


@pytest.mark.parametrize("first", [delta(0, "{}", None, "bash"), delta(0, "{}", "c", None)])
def test_a_call_without_id_or_name_is_an_endpoints_error(first: bytes) -> None:
    assert not calls(first).whole


def test_a_pair_of_surrogates_in_two_pieces_is_one_character() -> None:
    answer = read(chunk({"content": "a\ud83d"}) + chunk({"content": "\ude00 \ud83d"}, "stop") + DONE)
    assert answer.text == "a😀 \ud83d"


# A stream as vLLM writes it where `return_token_ids` and `logprobs` are asked for: the prompt's ids in the first chunk,
# a chunk without words for each token that its tool parser keeps back, several tokens in one where it guesses ahead.
def token_chunk(delta: dict[str, Any], ids: list[int] | None, finish: str | None = None) -> bytes:
    entries = [{"token": "x", "logprob": -number / 2, "bytes": [120], "top_logprobs": []} for number in ids or ()]
    logprobs = {"content": entries} if ids else None
    choice = {"index": 0, "delta": delta, "logprobs": logprobs, "finish_reason": finish, "token_ids": ids}
    value = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    return b"data: " + json.dumps(value).encode() + b"\n\n"


def first_chunk() -> bytes:
    choice = {"index": 0, "delta": {"role": "assistant", "content": ""}, "logprobs": None, "finish_reason": None}
    return b"data: " + json.dumps({"id": "x", "choices": [choice], "prompt_token_ids": [1, 2, 3]}).encode() + b"\n\n"


def usage_chunk(completion: int) -> bytes:
    usage = {"prompt_tokens": 3, "completion_tokens": completion, "total_tokens": 3 + completion}
    return b"data: " + json.dumps({"id": "x", "choices": [], "usage": usage}).encode() + b"\n\n"


TOKENS = token_chunk({"content": "x"}, [5]) + token_chunk({}, [6]) + token_chunk({"content": ""}, [7, 8], "stop")


def test_token_ids_and_logprobs_are_kept() -> None:
    answer = read(first_chunk() + TOKENS + usage_chunk(4) + DONE)
    assert answer.token_ids == (5, 6, 7, 8)
    assert answer.logprobs == (-2.5, -3.0, -3.5, -4.0)
    assert answer.prompt_token_ids == (1, 2, 3)
    assert answer.has_tokens
    assert (answer.text, answer.finish_reason) == ("x", "stop")


def test_they_stand_in_one_object_as_well() -> None:
    message = {"role": "assistant", "content": "x"}
    logprobs = {"content": [{"token": "x", "logprob": -0.5, "bytes": [120], "top_logprobs": []}]}
    choice = {"index": 0, "message": message, "logprobs": logprobs, "finish_reason": "stop", "token_ids": [5]}
    answer = read(json.dumps({"id": "x", "choices": [choice], "prompt_token_ids": [1], "usage": {}}).encode())
    assert (answer.prompt_token_ids, answer.token_ids, answer.logprobs) == ((1,), (5,), (-0.5,))
    assert answer.has_tokens  # nothing is said of how many there must be


@pytest.mark.parametrize(
    "data",
    [
        stream("a"),
        first_chunk() + TOKENS + usage_chunk(5) + DONE,  # the server counted one more than it gave
        TOKENS + usage_chunk(4) + DONE,
        first_chunk() + TOKENS.replace(b'"logprob": -3.0, ', b"") + usage_chunk(4) + DONE,
        first_chunk() + TOKENS.replace(b'"token_ids": [6]', b'"token_ids": null') + usage_chunk(4) + DONE,
        first_chunk() + TOKENS.replace(b'"token_ids": [6]', b'"token_ids": ["6"]') + usage_chunk(4) + DONE,
    ],
)
def test_tokens_that_are_not_all_there_are_no_whole(data: bytes) -> None:
    answer = read(data)
    assert answer.whole
    assert not answer.has_tokens


@pytest.mark.parametrize("logprob", ["-1e999", "NaN", "9" * 400, "true", '"-1"', "null"])
def test_with_a_logprob_that_is_no_number_there_are_none(logprob: str) -> None:
    """Without it the others would stand at other tokens' places."""
    choice = f'{{"delta":{{"content":"x"}},"logprobs":{{"content":[{{"logprob":{logprob}}},{{"logprob":-2}}]}}}}'
    assert read(f'data: {{"choices":[{choice}]}}\n\n'.encode()).logprobs == ()


SCRAP = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(
                ["choices", "delta", "content", "tool_calls", "function", "index", "id", "usage", "logprobs"]
            ),
            inner,
        )
    ),
    max_leaves=10,
)


@given(st.lists(SCRAP, max_size=4), st.binary(max_size=50))
def test_nothing_is_raised_whatever_an_endpoint_sends(values: list[object], junk: bytes) -> None:
    data = b"".join(b"data: " + json.dumps(value).encode() + b"\n\n" for value in values)
    for given_bytes in (data + junk, junk, junk + data, json.dumps(values[:1]).encode()):
        assert isinstance(read(given_bytes), Answer)


def test_numbers_and_depths_that_python_refuses_are_no_exception() -> None:
    for text in (b"[" * 100_000, b'{"a": ' + b"9" * 5000 + b"}"):
        assert read(b"data: " + text + b"\n\n").error
        assert not read(text).whole


@given(st.text(), st.lists(st.integers(0, 1000)))
def test_an_answer_does_not_depend_on_how_its_text_is_cut(text: str, cuts: list[int]) -> None:
    places = [0, *sorted(cut % (len(text) + 1) for cut in cuts), len(text)]
    pieces = [text[a:b] for a, b in itertools.pairwise(places)]
    data = b"".join(chunk({"content": piece}) for piece in pieces) + chunk({}, "stop") + DONE
    assert read(data).text == text


def whole_by_reading_again(pieces: list[str]) -> str:
    """The arguments as OpenCode's client has them: what was read when they first were JSON."""
    text = ""
    for piece in pieces:
        text += piece
        try:
            json.loads(text, parse_constant=lambda name: pytest.fail(name))
        except ValueError:
            continue
        return text
    return text


WORDS = ['{"a":', "{", "}", "[", "]", '"', "\\", '\\"', "x", " ", "1", ",", ":", '"b"']
PIECES = st.lists(st.sampled_from(WORDS), max_size=12)


@given(PIECES)
def test_arguments_are_complete_when_they_first_are_json(pieces: list[str]) -> None:
    deltas = [delta(0, pieces[0] if pieces else "", "c", "bash"), *(delta(0, piece) for piece in pieces[1:])]
    assert calls(*deltas).tool_calls[0].arguments == whole_by_reading_again(pieces)


def test_many_pieces_that_look_like_an_end_take_no_time() -> None:
    """As a model writes that goes round in circles; to read all of it for each one took minutes."""
    pieces = [delta(0, '{"text": "', "c", "bash"), *(delta(0, "}") for _ in range(50_000))]
    assert len(calls(*pieces).tool_calls[0].arguments) == 50_010
