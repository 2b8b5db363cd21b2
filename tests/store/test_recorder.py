"""Taking down a talk, and giving back its very bytes."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import attrs
import pytest

from harness.errors import StoreCorruptError
from harness.store.blobs import Blobs
from harness.store.digests import digest
from harness.store.pack import Pack
from harness.store.record import AttemptRecord
from harness.store.recorder import Recorder
from harness.store.replay import Replay
from harness.store.segments import Image, Inline
from tests.store.forging import forged

Make = Callable[..., AttemptRecord]


def test_bodies_come_back_byte_for_byte(
    blobs: Blobs, make_record: Make, make_talk: Callable[..., Iterator[bytes]], make_stream: Callable[..., bytes]
) -> None:
    record = make_record(blobs, steps=3, run_id="r", started_ns=5 * 10**9)
    replay = Replay(AttemptRecord.from_bytes(record.to_bytes()), blobs)
    times = iter(range(5, 100))
    for step, request in enumerate(make_talk(3, call="r-call-", every=1)):
        assert replay.request(step) == request
        assert replay.answer(step) == make_stream(step, answer_id=f"r-{step}", call_id=f"r-call-{step}", times=times)


@pytest.mark.parametrize("body", [b"", b"\x00\xff\x1a", b'{"error":{"message":"no such model"}}', b"\x1a0\x1a"])
def test_bodies_of_any_kind_come_back(blobs: Blobs, make_record: Make, body: bytes) -> None:
    recorder = Recorder(blobs)
    recorder.call(request=body, answer=body, status=500, finish_reason=None, started_ns=1, ended_ns=2)
    record = make_record(blobs, steps=0)
    content = attrs.evolve(record.content, calls=recorder.calls)
    observed = attrs.evolve(record.observed, calls=recorder.observed, artifacts={}, pack=recorder.pack())
    replay = Replay(AttemptRecord(content, observed), blobs)
    assert (replay.request(0), replay.answer(0)) == (body, body)


def test_everything_but_shared_parts_and_images_is_one_blob(blobs: Blobs) -> None:
    recorder = Recorder(blobs)
    answer = json.dumps({"id": "chatcmpl-1", "content": "x" * 10_000}).encode()
    recorder.call(request=b"{}", answer=answer, status=200, finish_reason="stop", started_ns=1, ended_ns=2)
    recorder.artifact("events", b"\xff" * 10_000)
    pack = recorder.pack()
    assert pack is not None
    assert list(blobs) == [pack.blob]
    assert len(blobs.get(pack.blob)) < 500
    assert recorder.artifacts == {"events": digest(b"\xff" * 10_000)}


def test_nothing_taken_down_is_no_pack(blobs: Blobs) -> None:
    assert Recorder(blobs).pack() is None
    assert list(blobs) == []


def test_an_artifact_comes_back_and_shares_the_images_of_the_calls(
    blobs: Blobs, make_record: Make, make_image_part: Callable[..., Any], make_png: Callable[..., bytes]
) -> None:
    record = make_record(blobs, run_id="r")
    url = make_image_part(make_png(-1))["image_url"]["url"].encode()
    assert Replay(record, blobs).artifact("events") == b"events r" + url + b'"'
    kept = Pack.from_bytes(blobs.get(record.observed.pack.blob)).artifacts["events"]  # type: ignore[union-attr]
    assert [type(segment) for segment in kept] == [Inline, Image, Inline]


def test_a_pack_of_another_attempt_is_noticed(blobs: Blobs, make_record: Make) -> None:
    record, other = make_record(blobs), make_record(blobs, steps=3)
    swapped = attrs.evolve(record, observed=attrs.evolve(record.observed, pack=other.observed.pack))
    with pytest.raises(StoreCorruptError, match="task '1', repeat 0: its pack holds other calls"):
        Replay(swapped, blobs).request(0)


def test_values_that_were_changed_are_noticed(blobs: Blobs, make_record: Make) -> None:
    record = make_record(blobs)
    Replay(record, blobs).check()
    replay = Replay(forged(record, blobs), blobs)
    with pytest.raises(StoreCorruptError, match="task '1', repeat 0: its requests and answers are not what they were"):
        replay.check()
