"""What differs between equal answers is taken out, and put back exactly."""

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import StoreCorruptError
from harness.store.volatile import SUB, Ids, restore

ANY = st.lists(
    st.binary(max_size=12)
    | st.sampled_from(
        [
            SUB,
            SUB + b"0" + SUB,
            SUB + b"created" + SUB,
            b'"id":"call-1"',
            b'"id" : "a b"',
            b'"id":""',
            b'"id":"\xff"',
            b'"id":"q\\"uote"',
            b'"tool_call_id":"call-1"',
            b'"created":17',
            b'"created": -1.5e+3',
            b'"system_fingerprint":"fp"',
            b'"system_fingerprint":null',
            b'"timings":{"ms":1}',
        ]
    ),
    max_size=8,
).map(b"".join)


@given(st.lists(st.tuples(ANY, ANY), max_size=5))
def test_any_talk_comes_back(talk: list[tuple[bytes, bytes]]) -> None:
    ids = Ids()
    kept = [(ids.request(request), *ids.answer(answer)) for request, answer in talk]
    for (request, answer), (question, template, runs) in zip(talk, kept, strict=True):
        assert restore(question, tuple(ids), {}) == request
        assert restore(template, tuple(ids), runs) == answer


def templates(make_stream: Callable[..., bytes], name: str, times: list[int]) -> tuple[bytes, bytes]:
    ids = Ids()
    answer = make_stream(0, answer_id=f"chatcmpl-{name}", call_id=f"call_{name}", times=iter(times))
    template, _ = ids.answer(answer)
    return template, ids.request(json.dumps({"role": "tool", "tool_call_id": f"call_{name}"}).encode())


def test_equal_answers_have_equal_templates(make_stream: Callable[..., bytes]) -> None:
    """Also when the clock ticks in the middle of one of them."""
    one = templates(make_stream, "17af", [100] * 6)
    other = templates(make_stream, "a-much-longer-id", [100, 100, 101, 101, 101, 102])
    assert one == other
    assert b"17af" not in b"".join(one)


def test_times_in_a_row_are_kept_once(make_stream: Callable[..., bytes]) -> None:
    _, runs = Ids().answer(make_stream(0, answer_id="a", call_id="b", times=iter([100, 100, 101, 101, 101, 100])))
    assert runs == {"created": (("100", 2), ("101", 3), ("100", 1))}


def test_which_call_an_output_belongs_to_is_no_accident() -> None:
    first, second = Ids(), Ids()
    for ids in (first, second):
        ids.answer(b'{"id":"chat","tool_calls":[{"id":"call_a"},{"id":"call_b"}]}')
    assert first.request(b'"tool_call_id":"call_a"') != second.request(b'"tool_call_id":"call_b"')


def test_text_that_looks_like_a_field_stays() -> None:
    answer = json.dumps({"content": '{"id":"x","created":5}', "arguments": '"id": "y"'}).encode()
    assert Ids().answer(answer) == (answer, {})


def test_an_id_that_no_answer_gave_stays_in_the_request() -> None:
    request = b'{"tool_call_id":"forged"}'
    assert Ids().request(request) == request


@pytest.mark.parametrize(
    ("template", "runs", "reason"),
    [
        (SUB + b"0" + SUB, {}, "asks for a value of '0'"),
        (SUB + b"created" + SUB, {}, "asks for a value of 'created'"),
        (SUB + b"created" + SUB, {"created": (("1", 2),)}, "that no template asks for"),
        (b"", {"created": (("1", 1),)}, "that no template asks for"),
    ],
)
def test_values_that_do_not_fit_are_damage(
    template: bytes, runs: dict[str, tuple[tuple[str, int], ...]], reason: str
) -> None:
    with pytest.raises(StoreCorruptError, match=reason):
        restore(template, (), runs)
