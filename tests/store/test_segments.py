"""Segments: written one way, read strictly, put together exactly."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import CanonicalError, StoreCorruptError
from harness.store.digests import Digest, digest
from harness.store.segments import BODY_MAX, Image, Inline, Prefix, Stored, assemble, blobs_of, from_json, read, to_json

ONE = Digest("1" * 64)
SEGMENTS = (
    st.builds(Inline, st.binary(max_size=20))
    | st.builds(Stored, st.just(ONE), st.integers(0, 9))
    | st.builds(Image, st.just(ONE), st.integers(0, 9))
    | st.builds(Prefix, st.integers(0, 9), st.integers(0, 9))
)


@given(SEGMENTS)
def test_a_segment_comes_back_from_its_json(segment: Any) -> None:
    data = segment.data if isinstance(segment, Inline) else b""
    taken: list[int] = []

    def take(size: int) -> Inline:
        taken.append(size)
        return Inline(data)

    assert from_json(to_json(segment), take) == segment
    assert taken == ([len(data)] if isinstance(segment, Inline) else [])


@pytest.mark.parametrize(
    "value",
    [
        {},
        "text",
        {"bytes": "5"},
        {"bytes": -1},
        {"bytes": 1, "size": 1},
        {"blob": "1" * 63, "size": 1},
        {"blob": "1" * 64, "size": -1},
        {"blob": "1" * 64, "size": True},
        {"image": "1" * 64},
        {"prefix": 0, "size": 1, "more": 0},
        {"prefix": "0", "size": 1},
    ],
)
def test_any_other_json_is_refused(value: Any) -> None:
    with pytest.raises(CanonicalError):
        from_json(value, lambda size: Inline(b"x" * size))


def test_each_kind_gives_its_bytes(memory: Any) -> None:
    image = memory.put(b"\x89PNG\xff")
    long = memory.put(b"long")
    requests = [
        (Inline(b"<"), Image(image, 8), Inline(b">")),
        (Prefix(0, 5), Stored(long, 4)),
        (Prefix(1, 7), Inline(b"!")),
    ]
    assert assemble(requests, 0, memory) == b"<iVBOR/8=>"
    assert assemble(requests, 1, memory) == b"<iVBOlong"
    assert assemble(requests, 2, memory) == b"<iVBOlo!"
    assert read(requests[0], memory) == b"<iVBOR/8=>"
    assert blobs_of(requests[0]) == {image}
    assert blobs_of(requests[1]) == {long}


def test_a_chain_of_a_thousand_prefixes_is_put_together(memory: Any) -> None:
    requests: list[Any] = [(Inline(b"0" * 10),)]
    requests += [(Prefix(index, 10 + index), Inline(b"x")) for index in range(1000)]
    assert assemble(requests, 1000, memory) == b"0" * 10 + b"x" * 1000


@pytest.mark.parametrize(
    ("requests", "reason"),
    [
        ([(Inline(b"ab"),), (Prefix(0, 3),)], "repeats more"),
        ([(Inline(b"ab"),), (Prefix(1, 1),)], "no earlier one"),
        ([(Inline(b"ab"),), (Inline(b"a"), Prefix(0, 1))], "isn't a request's first segment"),
        ([(), (Stored(digest(b"kept"), 3),)], "says 3 bytes"),
    ],
)
def test_segments_that_do_not_fit_are_damage(memory: Any, requests: Any, reason: str) -> None:
    memory.put(b"kept")
    with pytest.raises(StoreCorruptError, match=reason):
        assemble(requests, 1, memory)


def test_a_body_that_repeats_a_blob_without_end_is_damage(memory: Any) -> None:
    stored = Stored(memory.put(bytes(1000)), 1000)
    with pytest.raises(StoreCorruptError, match="are the most that one can have"):
        read((stored,) * (BODY_MAX // 1000 + 1), memory)
