"""Who loses when the time is up, and what is tried again."""

from collections.abc import Iterator

import pytest

from tests.gateway.scripted import chunk, fails, hangs
from tests.outcomes.playing import MASKED, Played, Row, ids, play
from tests.outcomes.upstream import trickles, uses

pytestmark = pytest.mark.integration

STOP = "kill -STOP $PPID"

# A time-out of 50 s, and silence of the endpoint is allowed for longer.
PATIENT = [
    #   scenario                      model's turns                                  outcome         reward requests
    Row("talks on in its first answer", [[trickles]], "task-timeout", 0.0, (1,)),
    Row("talks on later", [[uses("true")], [trickles]], "task-timeout", 0.0, (1, 1)),
    Row("works on", [[uses("sleep 300")]], "task-timeout", 0.0, (1,)),
    Row("stops its agent", [[uses(STOP)]], "task-timeout", 0.0, (1,)),
    Row("silent, but not for long", [[uses("true")], [hangs()]], "task-timeout", 0.0, (1, 1)),
]

# Silence is allowed for 3 s; then the endpoint is tried again, without end.
IMPATIENT = [
    Row("silent from the start", [[hangs()]], "upstream-stalled", MASKED),
    Row("silent later", [[uses("true")], [hangs(chunk({"content": "It"}))]], "upstream-stalled", MASKED),
    Row("failing", [[uses("true")], [fails(503, "busy")]], "upstream-failed", MASKED),
    Row("failing this alone", [[uses("true")], [fails(500, "boom")]], "task-timeout", 0.0),
]


@pytest.fixture(scope="module")
def patient() -> Iterator[Played]:
    with play(PATIENT, "--timeout", "50", "--stall", "600", jobs=5) as done:
        yield done


@pytest.fixture(scope="module")
def impatient() -> Iterator[Played]:
    tries = ("--upstream-attempts", "1000", "--upstream-backoff", "0.5")
    with play(IMPATIENT, "--timeout", "50", "--stall", "3", *tries, jobs=4) as done:
        yield done


def test_the_runs(patient: Played, impatient: Played) -> None:
    patient.check_whole()
    impatient.check_whole()


@pytest.mark.parametrize("name", ids(PATIENT))
def test_outcome_where_silence_is_allowed(patient: Played, name: str) -> None:
    patient.check(name)


@pytest.mark.parametrize("name", ids(IMPATIENT))
def test_outcome_where_it_is_not(impatient: Played, name: str) -> None:
    impatient.check(name)


DEAD = [Row("nothing listens", [], "upstream-failed", MASKED, ())]


def test_an_endpoint_that_is_dead_from_the_start_is_tried_again() -> None:
    """Port 9 of the loopback: nothing listens there."""
    tries = ("--upstream-attempts", "2", "--upstream-backoff", "0.2", "--timeout", "60")
    with play(DEAD, *tries, attempts=3, url="http://127.0.0.1:9/v1") as done:
        done.check_whole()
        records = done.records("nothing listens")
        assert [record.content.outcome.kind for record in records] == ["upstream-failed"] * 3
        assert [len(call.tries) for record in records for call in record.observed.calls] == [2, 2, 2]
