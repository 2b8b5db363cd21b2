"""Sealed objects: what was written comes back, and no changed byte goes unnoticed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import CanonicalError
from harness.store.canonical import dumps
from harness.store.digests import digest
from harness.store.sealed import seal, unseal

VALUES = st.dictionaries(
    st.text("abc", min_size=1), st.none() | st.booleans() | st.integers(-5, 5) | st.text(), min_size=1
)


@given(VALUES)
def test_an_object_comes_back(value: dict[str, object]) -> None:
    assert unseal(seal(value)) == value  # type: ignore[arg-type]


def test_the_first_key_is_the_digest_of_all_the_others() -> None:
    data = seal({"reward": 1, "answer": "\udc80 \\udc80"})
    read = json.loads(data)
    assert list(read) == ["_sha256", "answer", "reward"]
    assert read.pop("_sha256") == digest(dumps(read))
    assert unseal(data) == {"reward": 1, "answer": "\udc80 \\udc80"}


def test_a_change_of_any_bit_is_noticed() -> None:
    data = seal({"answer": "é", "reward": 1})
    for place in range(len(data) * 8):
        changed = bytearray(data)
        changed[place // 8] ^= 1 << place % 8
        with pytest.raises(CanonicalError):
            unseal(bytes(changed))


@pytest.mark.parametrize("data", [b"", b"{}", b'{"a":1}', seal({"a": 1})[:-1], seal({"a": 1}) + b"\n"])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(CanonicalError):
        unseal(data)


@pytest.mark.parametrize("value", [{}, {"A": 1}, {"_sha256": "x", "a": 1}])
def test_what_can_not_be_sealed_is_refused(value: dict[str, object]) -> None:
    with pytest.raises(CanonicalError):
        seal(value)  # type: ignore[arg-type]


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1" * 400, "1" * 5000])
def test_numbers_that_no_double_is_are_refused(number: str) -> None:
    body = f'{{"reward":{number}}}'.encode()
    with pytest.raises(CanonicalError):
        unseal(b'{"_sha256":"' + digest(body).encode() + b'",' + body[1:])


@pytest.mark.parametrize("number", [1e20, -1.5, 5e-324, 1.7976931348623157e308, 2**53 - 1])
def test_every_other_number_comes_back(number: float) -> None:
    assert unseal(seal({"reward": number})) == {"reward": number}
