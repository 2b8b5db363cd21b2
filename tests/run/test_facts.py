"""What grading and the summary need of a record."""

from collections.abc import Callable
from typing import Any

import attrs
import pytest

from harness.errors import CanonicalError
from harness.grading.item import Ended, Item
from harness.run.egress.sums import Sent
from harness.run.facts import Facts
from harness.store.digests import digest
from harness.store.observed import CallObserved
from harness.store.record import AttemptRecord, Call
from harness.store.runfolder import RunFolder


@pytest.fixture
def record(run: RunFolder, keep: Callable[..., Any]) -> AttemptRecord:
    keep("a", "\\boxed{\ud800} \\ud800")
    return run.read_attempt("a", 0, run.attempt_names("a", 0)[0])


def test_it_is_what_the_record_holds_also_where_texts_were_escaped(record: AttemptRecord) -> None:
    assert Facts.of(record) == Facts(
        ended=Ended(kind="answered", masked=False, failure_kind=None, answer="\\boxed{\ud800} \\ud800"),
        flags=("fork",),
        started_ns=10,
        played_ns=100,
        waited_ns=0,
        sent=Sent(proved=False),
    )


def test_calls_at_the_same_time_are_waited_for_once(record: AttemptRecord) -> None:
    name = digest(b"")
    times = [(10, 20), (60, 70), (15, 30), (16, 18)]
    observed = attrs.evolve(
        record.observed,
        calls=tuple(CallObserved(started_ns=start, ended_ns=end) for start, end in times),
    )
    call = Call(status=200, request=name, answer=name, finish_reason=None)
    content = attrs.evolve(record.content, calls=(call,) * len(times))
    assert Facts.of(AttemptRecord(content, observed)).waited_ns == 30 - 10 + 70 - 60


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"content":{},"observed":{}}', b"[" * 100_000])
def test_what_is_no_record_is_refused(data: bytes) -> None:
    with pytest.raises(CanonicalError, match="no record"):
        Facts.read(data)


@pytest.mark.parametrize(
    ("kind", "answer"), [("answered", "text"), ("output-cap", None), ("task-timeout", None), ("no-answer", None)]
)
def test_only_the_text_of_an_answered_rollout_is_an_answer(kind: str, answer: str | None) -> None:
    ended = Ended(kind=kind, masked=False, failure_kind="x", answer="text")
    assert Item.of("a", 1, "?", "g", ended) == Item(
        task="a", repeat=1, question="?", gold="g", answer=answer, ended=kind, failure_kind="x"
    )
