import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.gateway.strictjson import MAX_DEPTH, MAX_VALUES, MalformedError, loads

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(VALUES)
def test_json_is_read_as_it_is(value: object) -> None:
    assert loads(json.dumps(value).encode()) == value


@given(st.binary(max_size=200) | st.text(alphabet='{}[]",:0123456789.eE-truefalsn\\u ', max_size=80).map(str.encode))
def test_nothing_but_malformed_is_raised(data: bytes) -> None:
    try:
        loads(data)
    except MalformedError:
        return
    json.loads(data)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b'{"a": 1, "a": 2}', "same key twice"),
        (b'{"x": {"a": 1, "b": 0, "a": 1}}', "same key twice"),
        (b'{"a": NaN}', "NaN"),
        (b"[Infinity]", "Infinity"),
        (b"[-Infinity]", "Infinity"),
        (b"[1e999]", "too large"),
        (b"[" + b"9" * 21 + b"]", "digits"),
        (b"[" + b"9" * 10_000 + b"]", "digits"),
        (b"\xef\xbb\xbf{}", "no JSON"),
        (b'"\xff"', "UTF-8"),
        (b'"\xed\xa0\x80"', "UTF-8"),
        (b"", "no JSON"),
        (b"{} x", "no JSON"),
        (b'{"a": 1,}', "no JSON"),
        (b'"a\nb"', "no JSON"),
    ],
)
def test_what_two_readers_could_read_differently_is_refused(data: bytes, why: str) -> None:
    with pytest.raises(MalformedError, match=why):
        loads(data)


def test_depth_is_bounded_and_decided_by_the_depth_alone() -> None:
    assert loads(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)
    for depth in (MAX_DEPTH + 1, 900, 100_000):
        with pytest.raises(MalformedError, match="nested"):
            loads(b"[" * depth + b"]" * depth)


def test_the_number_of_values_is_bounded_before_they_take_memory() -> None:
    with pytest.raises(MalformedError, match="values"):
        loads(b"[" + b"[]," * MAX_VALUES + b"[]]")


def test_a_lone_surrogate_is_let_through() -> None:
    assert loads(rb'"a\ud83d"') == "a\ud83d"
