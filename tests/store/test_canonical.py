"""Canonical JSON: known answers of RFC 8785, strictness, and text that always finds its way back."""

import json
import time
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import CanonicalError
from harness.store.canonical import (
    dumps,
    escape_all,
    escape_surrogates,
    loads_strict,
    unescape_all,
    unescape_surrogates,
)
from harness.store.usual import INT_MAX

ANY_TEXT = st.text(st.characters())  # lone surrogates too
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-INT_MAX, INT_MAX)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


def test_the_example_of_the_standard() -> None:
    """RFC 8785, section 3.2.2 and 3.2.3."""
    value = {
        "numbers": [333333333.33333329, 1e30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": '€$\u000f\nA\'B"\\\\"/',
        "literals": [None, True, False],
    }
    assert (
        dumps(value)
        == (
            r'{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
            r'"string":"€$\u000f\nA' + "'" + r'B\"\\\\\"/"}'
        ).encode()
    )


def test_keys_are_sorted_by_utf16_code_units() -> None:
    assert dumps({"\ufb33": 1, "\U0001f600": 2, "a": 3}) == '{"a":3,"\U0001f600":2,"\ufb33":1}'.encode()


@given(VALUES)
def test_what_is_written_is_read_back(value: Any) -> None:
    data = dumps(value)
    assert loads_strict(data, canonical=True) == value
    assert dumps(loads_strict(data)) == data


@pytest.mark.parametrize(
    ("value", "where"),
    [
        ({"a": [0, 2**53]}, r"integer at \$\.a\[1\] is beyond 2\*\*53 - 1"),
        ({"a": -(2**53)}, r"integer at \$\.a"),
        (["x", "\ud800"], r"text at \$\[1\] holds a lone surrogate"),
        ({"\udfff": 1}, r"key .* at \$ is no Unicode text"),
        ({1: 1}, r"key 1 at \$ is no Unicode text"),
        ([float("nan")], r"nan at \$\[0\]"),
        ([float("inf")], r"inf at \$\[0\]"),
        ({"a": b"bytes"}, r"bytes at \$\.a is no JSON type"),
    ],
)
def test_what_has_no_canonical_form_is_refused_with_its_place(value: Any, where: str) -> None:
    with pytest.raises(CanonicalError, match=where):
        dumps(value)


def test_depth_without_end_is_refused() -> None:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    with pytest.raises(CanonicalError, match="nested too deeply"):
        dumps(value)
    with pytest.raises(CanonicalError, match="no JSON"):
        loads_strict(b"[" * 100_000 + b"]" * 100_000)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'{"a":1,"a":1}', "'a' stands twice"),
        (b'[{"b":{"a":1,"c":2,"a":3}}]', "'a' stands twice"),
        (b"NaN", "NaN"),
        (b"[-Infinity]", "-Infinity"),
        (b"1e999", "too large"),
        (b"9007199254740993", "beyond 2"),
        (b"-9007199254740993", "beyond 2"),
        (b"9" * 5000, "beyond 2"),
        (rb'"\ud800"', "lone surrogate"),
        (b'"\xed\xa0\x80"', "no UTF-8"),
        (b"\xef\xbb\xbf{}", "no JSON"),
        ("{}".encode("utf-16"), "no UTF-8"),
        (b"{} {}", "no JSON"),
        (b"", "no JSON"),
    ],
)
def test_what_two_readers_could_take_differently_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(CanonicalError, match=reason):
        loads_strict(data)


@pytest.mark.parametrize("data", [b'{"b":1,"a":2}', b"[1, 2]", b"1.0", b"-0", rb'"\u0041"', b"1e2", b"{}\n"])
def test_only_the_canonical_spelling_passes_where_it_is_asked_for(data: bytes) -> None:
    assert loads_strict(data) == json.loads(data)
    with pytest.raises(CanonicalError, match="canonical form"):
        loads_strict(data, canonical=True)


def test_large_doubles_are_no_large_integers() -> None:
    assert dumps(1e20) == b"100000000000000000000"
    assert loads_strict(b"100000000000000000000", canonical=True) == 1e20


@given(ANY_TEXT)
def test_escaped_text_comes_back(text: str) -> None:
    escaped = escape_surrogates(text)
    dumps(escaped)
    assert unescape_surrogates(escaped) == text


@given(st.text(st.sampled_from("\\ud8af0\ud800\udfff"), max_size=24))
def test_text_that_looks_escaped_comes_back(text: str) -> None:
    escaped = escape_surrogates(text)
    dumps(escaped)
    assert unescape_surrogates(escaped) == text


@given(st.lists(st.sampled_from(["\\", "ud800", "\ud800", "x"]), max_size=12).map("".join))
def test_runs_of_backslashes_come_back(text: str) -> None:
    assert unescape_surrogates(escape_surrogates(text)) == text


def test_ordinary_text_stays_as_it_is() -> None:
    text = r"So \boxed{\frac{1}{2}} and \u0041, ud800, é, 😀"
    assert escape_surrogates(text) == text


def test_mappings_of_any_class_are_objects() -> None:
    assert dumps(MappingProxyType({"b": (1,), "a": MappingProxyType({})})) == b'{"a":{},"b":[1]}'


@given(st.recursive(ANY_TEXT, lambda inner: st.lists(inner) | st.dictionaries(ANY_TEXT, inner), max_leaves=8))
def test_escaped_values_come_back(value: Any) -> None:
    assert unescape_all(loads_strict(dumps(escape_all(value)))) == value


def test_escaping_leaves_other_types_to_be_refused() -> None:
    with pytest.raises(CanonicalError, match=r"bytes at \$\.a"):
        dumps(escape_all({"a": b"bytes"}))  # type: ignore[dict-item]


def test_escaping_without_end_is_refused() -> None:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    with pytest.raises(CanonicalError, match="nested too deeply"):
        escape_all(value)


@pytest.mark.parametrize("change", [escape_surrogates, unescape_surrogates])
def test_a_text_of_backslashes_is_not_slow(change: Any) -> None:
    text = "\\" * 1_000_000
    started = time.process_time()
    assert change(text) == text
    assert time.process_time() - started < 5
