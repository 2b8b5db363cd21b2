"""Cutting bodies: nothing is lost, little is kept twice."""

import base64
import itertools
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import HarnessError
from harness.store.cutting import (
    BLOB_MIN,
    IMAGE_MIN,
    PREFIX_MIN,
    TIPS_MAX,
    Writer,
    common_prefix,
    decoded,
    places,
    stable_end,
)
from harness.store.digests import digest
from harness.store.segments import Body, Image, Inline, Prefix, Stored, assemble, read

Talk = Callable[..., Iterator[bytes]]


class Kept:
    """A writer, what it wrote, and blobs in memory."""

    def __init__(self, memory: Any) -> None:
        self.memory = memory
        self.writer = Writer(memory)
        self.requests: list[Body] = []

    def write(self, *bodies: bytes) -> None:
        for data in bodies:
            self.requests.append(self.writer.request(data))
            assert assemble(self.requests, len(self.requests) - 1, self.memory) == data

    @property
    def size(self) -> int:
        """Bytes in blobs and, not compressed, in the pack; 60 for what names a segment."""
        blobs = sum(map(len, self.memory.kept.values()))
        inline = [segment.data for body in self.requests for segment in body if isinstance(segment, Inline)]
        return blobs + sum(map(len, inline)) + 60 * sum(map(len, self.requests))


@pytest.fixture
def kept(memory: Any) -> Kept:
    return Kept(memory)


FRAGMENTS = st.lists(
    st.binary(max_size=30)
    | st.sampled_from(
        [
            b'{"role":"user"',
            b'{"role": "tool"}',
            b'"tools":[',
            b'{"content":null',
            b"}]",
            b"x" * PREFIX_MIN,
            "é".encode() * 3000,
            b'"data:image/png;base64,' + base64.b64encode(b"image" * 9) + b'"',
            b'"data:image/png;base64,' + base64.b64encode(bytes(range(256)) * 30) + b'"',
            b'";base64,AB="',
            b'";base64,AAAA',
        ]
    ),
    max_size=8,
).map(b"".join)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.floats(0, 1), FRAGMENTS), max_size=6))
def test_any_bodies_come_back(new_memory: Callable[[], Any], plan: list[tuple[int, float, bytes]]) -> None:
    """Each body begins as some part of an earlier one does and goes on in its own way; `Kept.write` compares."""
    kept, bodies = Kept(new_memory()), [b""]
    for base, part, rest in plan:
        old = bodies[base % len(bodies)]
        bodies.append(old[: int(len(old) * part)] + rest)
        kept.write(bodies[-1])


def test_storage_grows_with_what_is_new(new_memory: Callable[[], Any], make_talk: Talk) -> None:
    """200 requests with 50 images, each request repeating all before it: 50 MB that bring half a MB of news."""
    talk = list(make_talk(200))
    new = len(talk[0]) + sum(len(after) - len(before) for before, after in itertools.pairwise(talk))
    sizes = {}
    for steps in (100, 200):
        kept = Kept(new_memory())
        kept.write(*talk[:steps])
        sizes[steps] = kept.size
    assert sum(map(len, talk)) > 40 * new
    assert sizes[200] < 1.5 * new
    assert sizes[200] < 2.1 * sizes[100]


def test_a_step_costs_a_few_segments(kept: Kept, make_talk: Talk) -> None:
    kept.write(*make_talk(12))
    kinds = [[type(segment) for segment in body] for body in kept.requests]
    # System prompt, image and tools on their own; then what is new, and the tools by the digest they had before.
    assert kinds[0] == [Inline, Stored, Inline, Image, Inline, Stored]
    assert kinds[1] == [Prefix, Inline, Stored]
    assert kinds[4] == [Prefix, Inline, Image, Inline, Stored]
    assert len({body[-1] for body in kept.requests}) == 1


def test_attempts_share_their_system_prompt_and_tools(memory: Any, make_talk: Talk) -> None:
    first, second = (Kept(memory) for _ in range(2))
    first.write(*make_talk(1, task="How many cats?"))
    second.write(*make_talk(1, task="Which of these dogs is another?"))
    stored = [[segment.blob for segment in kept.requests[0] if isinstance(segment, Stored)] for kept in (first, second)]
    assert len(stored[0]) == 2
    assert stored[0] == stored[1]


@pytest.mark.parametrize("spaced", [False, True])
@pytest.mark.parametrize("ordered", [False, True])
def test_other_ways_to_write_json_share_as_well(
    memory: Any, make_talk: Talk, make_body: Callable[..., bytes], spaced: bool, ordered: bool
) -> None:
    separators = (", ", ": ") if spaced else (",", ":")
    kept = Kept(memory)
    talk = [
        json.dumps(json.loads(data), separators=separators, sort_keys=ordered).encode()
        for data in make_talk(30, every=3)
    ]
    kept.write(*talk)
    assert kept.size < 1.5 * len(talk[-1])


def test_an_image_is_a_blob_of_its_own_bytes_once(
    kept: Kept, make_body: Callable[..., bytes], make_png: Callable[..., bytes], make_image_part: Callable[..., Any]
) -> None:
    """Two images that begin alike stay whole, although the requests have the first bytes of the second in common."""
    parts = [make_image_part(make_png(seed)) for seed in (1, 2)]
    text = {"role": "user", "content": "x" * PREFIX_MIN}
    kept.write(*(make_body([text, {"role": "user", "content": [part]}]) for part in (*parts, parts[0])))
    images = [[segment.blob for segment in body if isinstance(segment, Image)] for body in kept.requests[:2]]
    assert images == [[digest(make_png(1))], [digest(make_png(2))]]
    assert kept.memory.get(images[1][0]) == make_png(2)


def test_base64_that_would_come_back_otherwise_is_no_image() -> None:
    assert decoded(b"QUJD") == b"ABC"
    assert decoded(b"QUI=") == b"AB"
    assert decoded(b"QUJ=") is None  # bits that nobody reads
    assert decoded(b"QUI") is None  # no padding


def test_branches_of_a_talk_each_extend_their_own(kept: Kept, make_talk: Talk) -> None:
    """A shell's own calls between the agent's: both stay cheap."""
    ours, theirs = list(make_talk(10, task="a")), list(make_talk(10, task="b", every=3))
    kept.write(*(data for pair in zip(ours, theirs, strict=True) for data in pair))
    bases = [body[0].request for body in kept.requests[2:] if isinstance(body[0], Prefix)]
    assert bases == list(range(18))


def test_only_a_few_earlier_requests_are_held(kept: Kept) -> None:
    bodies = [bytes([65 + index]) * 3000 + b"}" for index in range(TIPS_MAX + 1)]
    kept.write(*bodies, bodies[0], bodies[-1])
    assert isinstance(kept.requests[-2][0], Inline | Stored)
    assert isinstance(kept.requests[-1][0], Prefix)


def test_a_body_that_does_not_come_back_is_not_kept(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept.memory, "get", lambda name: b"x" * 5000)
    with pytest.raises(HarnessError, match="did not come back"):
        kept.writer.request(b"y" * 5000)


@given(FRAGMENTS)
def test_places_keep_bytes_and_order(data: bytes) -> None:
    pieces = places(data)
    assert b"".join(pieces) == data
    assert all(pieces)


def test_tools_are_one_piece_to_the_end() -> None:
    head, tools = b'{"messages":[', b'"tools":[{"role":"x"},{"content":1}],"stream":true}'
    assert places(head + b'{"role":"user"}],' + tools) == [head, b'{"role":"user"}],', tools]


def test_what_only_one_attempt_says_is_no_blob(kept: Kept, make_body: Callable[..., bytes]) -> None:
    said = {"role": "tool", "content": "y" * 2 * BLOB_MIN}
    kept.write(make_body([{"role": "user", "content": "x" * BLOB_MIN}]))
    before = set(kept.memory.kept)
    kept.write(make_body([{"role": "user", "content": "x" * BLOB_MIN}, said]))
    assert set(kept.memory.kept) == before
    assert len(before) == 2, "the long question, and the tools"


def test_small_images_are_no_blobs(kept: Kept) -> None:
    small, large = (base64.b64encode(bytes(size)) for size in (IMAGE_MIN // 2, IMAGE_MIN))
    kept.write(b'"data:image/png;base64,' + small + b'""data:image/png;base64,' + large + b'"')
    assert [type(segment) for segment in kept.requests[0]] == [Inline, Image, Inline]
    assert list(kept.memory.kept) == [digest(bytes(IMAGE_MIN))]


@given(st.binary(max_size=50))
def test_other_bytes_share_images_of_requests_and_come_back(new_memory: Callable[[], Any], tail: bytes) -> None:
    memory = new_memory()
    writer, image = Writer(memory), base64.b64encode(bytes(1000))
    url = b'"data:image/png;base64,' + image + b'"'
    writer.request(url)
    body = writer.alone(url + tail)
    assert read(body, memory) == url + tail
    assert isinstance(body[1], Image)
    other = b'"data:image/png;base64,' + base64.b64encode(b"1" * 1000) + b'"'
    assert writer.alone(other) == (Inline(other),)


@given(st.binary(max_size=40), st.binary(max_size=20), st.binary(max_size=20))
def test_common_prefix_of_small_bodies(head: bytes, left: bytes, right: bytes) -> None:
    size = common_prefix(head + left, head + right)
    assert size >= len(head)
    assert (head + left)[:size] == (head + right)[:size]
    assert (head + left)[size : size + 1] != (head + right)[size : size + 1] or left == right


@pytest.mark.parametrize("size", [0, 1, 65535, 65536, 65537, 200_000])
def test_common_prefix_of_large_bodies(size: int) -> None:
    assert common_prefix(b"a" * size + b"b" * 70_000, b"a" * size + b"c" * 70_000) == size
    assert common_prefix(b"a" * size, b"a" * (size + 1)) == size


def test_the_stable_end_is_just_after_a_bracket() -> None:
    assert stable_end(b'{"a":[1]},"b', 12) == 9
    assert stable_end(b'{"a":[1]},"b', 8) == 8
    assert stable_end(b"no brackets", 5) == 0
