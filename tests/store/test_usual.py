"""The quick way to write canonical JSON gives what the thorough one gives, or nothing."""

from types import MappingProxyType
from typing import Any

import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.store.canonical import dumps_escaped, escape_all
from harness.store.usual import INT_MAX, encoded

NEAR = [0.0, -0.0, 0.5, 1e-4, 9.999e-5, 1e-7, 1e15, 1e16, 2.0**53, -(2.0**53), 2.0**53 - 1, 1e21, 5e-324, 1.7e308]
TEXT = st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(
    ["\x00\x1f\x7f\x80\u2028", '"\\/\b\t', "\\ud800"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-INT_MAX, INT_MAX) | st.floats() | st.sampled_from(NEAR) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


def thorough(value: Any) -> bytes | None:
    try:
        return rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError):
        return None


@settings(max_examples=1000, deadline=None)
@given(VALUES)
def test_it_is_the_same_or_nothing(value: Any) -> None:
    found = encoded(value)
    assert found is None or found == thorough(value)


@pytest.mark.parametrize(
    "value",
    [
        {"b": (1, 2.0, "é"), "a": MappingProxyType({"c": None})},
        [True, False, -1, 0.25, 123456.789, INT_MAX, -0.0, 1e15],
        '\x00\x1f\x7f\u2028"\\',
    ],
)
def test_usual_values_are_written(value: Any) -> None:
    assert encoded(value) is not None


@pytest.mark.parametrize(
    "value",
    [
        {"é": 1},
        {1: 1},
        INT_MAX + 1,
        2.0**53,
        1e-5,
        1.5e16,
        float("nan"),
        float("inf"),
        "\ud800",
        b"",
        {1},
        object(),
    ],
)
def test_all_else_is_left_to_others(value: Any) -> None:
    assert encoded([value]) is None


def test_a_value_that_holds_itself_or_is_too_deep_is_left_to_others() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    own: list[Any] = []
    own.append(own)
    assert encoded(deep) is encoded(own) is None


@pytest.mark.parametrize("text", ["plain", "\ud800", "\\ud800", "\\\\ud800 \udfff", "é\\n", "ud800"])
def test_texts_are_escaped_only_where_that_is_needed(text: str) -> None:
    value = {"a": [text], text: 1} if text.isascii() else {"a": [text]}
    assert dumps_escaped(value) == rfc8785.dumps(escape_all(value))  # type: ignore[arg-type]
