"""Frames of zstd: the same bytes however they come, and never many of them at once."""

from collections.abc import Iterator

import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.store.bundle import compressing


@given(st.lists(st.binary(max_size=50)), st.integers(min_value=1, max_value=40))
def test_frames_are_the_same_bytes_however_they_were_cut(pieces: list[bytes], size: int) -> None:
    whole = b"".join(pieces)
    frames = list(compressing.frames(pieces, size))
    assert b"".join(frames) == whole
    assert [len(frame) for frame in frames[:-1]] == [size] * (len(frames) - 1)
    assert len(frames[-1]) <= size
    assert frames == list(compressing.frames([whole], size))


def test_what_is_compressed_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compressing, "FRAME", 1000)
    data = bytes(range(256)) * 100
    packed = b"".join(compressing.compressed([data]))
    assert len(packed) < len(data) / 3
    assert pyarrow.CompressedInputStream(pyarrow.BufferReader(packed), "zstd").read() == data
    assert packed == b"".join(compressing.compressed(data[at : at + 7] for at in range(0, len(data), 7)))


def test_only_a_few_frames_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compressing, "FRAME", 10)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    taken = 0

    def pieces() -> Iterator[bytes]:
        nonlocal taken
        for _ in range(100):
            taken += 1
            yield bytes(10)

    frames = compressing.compressed(pieces())
    next(frames)
    assert taken <= 4
    frames.close()  # type: ignore[attr-defined]
