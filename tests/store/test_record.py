"""The record: two halves, of which one is the same whenever the same talk takes place."""

import json
from collections.abc import Callable
from typing import Any

import attrs
import pytest

from harness.errors import CanonicalError
from harness.store.blobs import Blobs
from harness.store.canonical import dumps
from harness.store.record import AttemptRecord
from harness.store.replay import Replay

Make = Callable[..., AttemptRecord]


def test_a_record_comes_back(blobs: Blobs, make_record: Make) -> None:
    record = make_record(blobs)
    assert AttemptRecord.from_bytes(record.to_bytes()) == record


def test_a_record_of_an_attempt_that_never_started_comes_back(blobs: Blobs, make_record: Make) -> None:
    record = make_record(blobs, masked=True, steps=0)
    content = attrs.evolve(record.content, answer=None, finish_reason=None, image_ok=False)
    observed = attrs.evolve(record.observed, how=None, exit_code=None, egress=None, peak_rss=None, reason="no start")
    record = AttemptRecord(content, observed)
    assert AttemptRecord.from_bytes(record.to_bytes()) == record


def test_a_record_with_counters_comes_back_and_names_the_texts_of_what_filtered(
    blobs: Blobs, make_record: Make
) -> None:
    record = make_record(blobs)
    egress = record.observed.egress
    assert egress is not None
    filters = {egress.ruleset_sha256, record.observed.seccomp_sha256}
    assert filters.isdisjoint(record.blobs())  # of a version that did not keep them
    observed = attrs.evolve(record.observed, egress=attrs.evolve(egress, counters={"answers": 3}))
    counted = attrs.evolve(record, observed=observed)
    assert AttemptRecord.from_bytes(counted.to_bytes()) == counted
    assert counted.blobs() == record.blobs() | filters
    assert counted.content.digest == record.content.digest


def test_equal_talks_have_equal_content(blobs: Blobs, make_record: Make) -> None:
    """Another place, time, session, other ids of answers and tool calls."""
    one = make_record(blobs, run_id="a")
    other = make_record(blobs, run_id="bbb", started_ns=1_800_000_000_000_000_000)
    assert one.content == other.content
    assert one.content.digest == other.content.digest
    assert one.observed != other.observed
    ids, others = (set(Replay(record, blobs).pack.values.ids) for record in (one, other))
    assert ids
    assert ids.isdisjoint(others)


@pytest.mark.parametrize(
    "change",
    [
        {"task": "2"},
        {"repeat": 1},
        {"answer": "4"},
        {"image_ok": False},
        {"chain": (0,)},
        {"flags": ("a",)},
        {"calls": ()},
    ],
)
def test_another_content_has_another_digest(blobs: Blobs, make_record: Make, change: dict[str, Any]) -> None:
    content = make_record(blobs).content
    assert attrs.evolve(content, **change).digest != content.digest


def test_calls_that_are_not_on_the_chain_are_known(blobs: Blobs, make_record: Make) -> None:
    assert attrs.evolve(make_record(blobs, steps=4).content, chain=(0, 2)).off_chain == (1, 3)


def test_every_blob_is_named(blobs: Blobs, make_record: Make) -> None:
    assert make_record(blobs).blobs() == set(blobs)


def test_waiting_counts_each_moment_once(blobs: Blobs, make_record: Make) -> None:
    observed = make_record(blobs, steps=3).observed
    spans = [(0, 10), (5, 7), (8, 20)]
    calls = tuple(
        attrs.evolve(call, started_ns=start, ended_ns=end)
        for call, (start, end) in zip(observed.calls, spans, strict=True)
    )
    assert attrs.evolve(observed, calls=calls).waiting_ns == 20
    assert attrs.evolve(observed, calls=calls[:2]).waiting_ns == 10
    assert attrs.evolve(observed, calls=(calls[1], calls[2])).waiting_ns == 14


def changed(record: AttemptRecord, change: Callable[[Any], object]) -> bytes:
    value = json.loads(record.to_bytes())
    change(value)
    return dumps(value)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda value: value["content"].pop("task"), "lacks the field 'task'"),
        (lambda value: value["content"].update(more=1), "fields that are not known: more"),
        (lambda value: value.update(more=1), "fields that are not known: more"),
        (lambda value: value["content"].update(format=1), "format is 1"),
        (lambda value: value["content"].update(repeat=-1), "'repeat' .* whole number"),
        (lambda value: value["content"].update(image_ok=1), "'image_ok' .* true or false"),
        (lambda value: value["content"].update(chain=[7]), "names a call that it doesn't hold"),
        (lambda value: value["content"].update(chain="01"), "'chain' .* a list"),
        (lambda value: value["content"].update(prompt="x"), "'prompt' .* SHA-256"),
        (lambda value: value["content"].update(flags=["b", "a"]), "not as this version"),
        (lambda value: value["content"]["calls"].pop(), "different numbers of calls|doesn't hold"),
        (lambda value: value["content"]["calls"][0].update(request="x"), "'request' .* SHA-256"),
        (lambda value: value["observed"]["pack"].update(names=["x"]), "no SHA-256"),
        (lambda value: value["observed"]["pack"].update(size=1), "not known: size"),
        (lambda value: value["observed"]["calls"].pop(), "different numbers of calls"),
        (lambda value: value["observed"].update(started_ns=5), "'started_ns' .* decimal digits"),
        (lambda value: value["observed"].update(started_ns="05"), "'started_ns' .* decimal digits"),
        (lambda value: value["observed"].update(limits={"memory": 5}), "must be text"),
        (lambda value: value["observed"]["calls"][0].update(fields={}), "not known: fields"),
        (lambda value: value["observed"]["calls"][0].update(tries=[]), "not as this version"),
        (lambda value: value["observed"]["egress"].update(allowed=None), "'allowed' .* whole number"),
        (lambda value: value["observed"]["egress"].update(counters=None), "'counters' .* object"),
        (lambda value: value["observed"]["egress"].update(counters={"answers": -1}), "whole number from 0"),
        (lambda value: value["content"]["outcome"].update(masked=None), "'masked' .* true or false"),
    ],
)
def test_a_record_that_is_not_as_it_should_be_is_refused(
    blobs: Blobs, make_record: Make, change: Callable[[Any], object], reason: str
) -> None:
    with pytest.raises(CanonicalError, match=reason):
        AttemptRecord.from_bytes(changed(make_record(blobs), change))


def test_another_spelling_is_refused(blobs: Blobs, make_record: Make) -> None:
    with pytest.raises(CanonicalError, match="canonical"):
        AttemptRecord.from_bytes(make_record(blobs).to_bytes() + b"\n")
