"""The pack: everything comes back, nothing else is read."""

import lzma
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import CanonicalError
from harness.store import pack as packing
from harness.store.canonical import dumps
from harness.store.digests import Digest
from harness.store.pack import Pack
from harness.store.segments import Image, Inline, Prefix, Stored
from harness.store.values import Values

ONE, TWO = Digest("1" * 64), Digest("2" * 64)
BODIES = st.lists(
    st.builds(Inline, st.binary(max_size=20))
    | st.builds(Stored, st.just(ONE), st.integers(0, 9))
    | st.builds(Image, st.just(TWO), st.integers(0, 9))
    | st.builds(Prefix, st.integers(0, 9), st.integers(0, 9)),
    max_size=3,
).map(tuple)


RUNS = st.lists(st.tuples(st.text("ab1", max_size=3), st.integers(1, 9)), max_size=3).map(tuple)
VALUES_OF_ALL = st.builds(
    Values,
    st.lists(st.text("xyz", max_size=3), max_size=3).map(tuple),
    st.lists(st.dictionaries(st.sampled_from(["created", "timings"]), RUNS), max_size=3).map(tuple),
)


@given(st.lists(st.tuples(BODIES, BODIES), max_size=4), st.dictionaries(st.sampled_from("abc"), BODIES), VALUES_OF_ALL)
def test_a_pack_comes_back(calls: Any, artifacts: Any, values: Values) -> None:
    pack = Pack(tuple(request for request, _ in calls), tuple(answer for _, answer in calls), artifacts, values)
    assert Pack.from_bytes(pack.to_bytes()) == pack
    assert pack.blobs() <= {ONE, TWO}


def test_equal_packs_have_equal_bytes() -> None:
    one = Pack((), (), {"a": (Inline(b"1"),), "b": ()})
    other = Pack((), (), {"b": (), "a": (Inline(b"1"),)})
    assert one.to_bytes() == other.to_bytes()


def packed(line: object, rest: bytes = b"") -> bytes:
    return lzma.compress(dumps(line) + b"\n" + rest)  # type: ignore[arg-type]


VALUES = {"ids": ["x"], "fields": [{"created": [["5", 2]]}]}
WHOLE = {"format": 2, "calls": [[[{"bytes": 2}], []]], "artifacts": [["a", []]], "values": VALUES}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "no line"),
        (b"no xz" * 10, "can't be unpacked"),
        (packed(WHOLE, b"ab")[:-9], "cut"),
        (packed(WHOLE, b"ab") + b"more", "behind its end"),
        (packed(WHOLE, b"a"), "shorter than it says"),
        (packed(WHOLE, b"abc"), "longer than it says"),
        (packed({**WHOLE, "format": 9}, b"ab"), "format is 9"),
        (packed({**WHOLE, "more": 1}, b"ab"), "not known: more"),
        (packed({**WHOLE, "calls": [[[]]]}), "a request and an answer"),
        (packed({**WHOLE, "artifacts": [["a"]]}, b"ab"), "a name and its segments"),
        (packed({**WHOLE, "values": {"ids": ["x"]}}, b"ab"), "lacks the field 'fields'"),
        (packed({**WHOLE, "values": {**VALUES, "ids": [1]}}, b"ab"), "text"),
        (packed({**WHOLE, "values": {**VALUES, "fields": [{"created": [["5"]]}]}}, b"ab"), "how often it stands there"),
        (packed({**WHOLE, "artifacts": [["b", []], ["a", []]]}, b"ab"), "order of their names"),
        (packed({**WHOLE, "artifacts": [["a", []], ["a", []]]}, b"ab"), "order of their names"),
        (lzma.compress(b"{}\n"), "lacks the field 'format'"),
        (lzma.compress(b"{}"), "no line"),
    ],
)
def test_any_other_bytes_are_refused(data: bytes, reason: str) -> None:
    with pytest.raises(CanonicalError, match=reason):
        Pack.from_bytes(data)


def test_a_pack_that_would_fill_memory_is_refused_before_it_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "UNPACKED_MAX", 1000)
    taken = packed({**WHOLE, "calls": [[[{"bytes": 999}, {"bytes": 2}], []]]}, bytes(1001))
    with pytest.raises(CanonicalError, match="too large"):
        Pack.from_bytes(taken)


def test_a_line_without_an_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "LINE_MAX", 2 << 20)
    with pytest.raises(CanonicalError, match="far too long"):
        Pack.from_bytes(lzma.compress(bytes(8 << 20)))


def test_large_pieces_come_back() -> None:
    pieces = (Inline(b"a" * (3 << 20)), Inline(b"b" * 5), Inline(b"c" * (1 << 20)))
    pack = Pack((pieces,), ((),), {"file": (Inline(b"d" * (2 << 20)),)})
    assert Pack.from_bytes(pack.to_bytes()) == pack
