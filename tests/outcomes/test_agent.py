"""An agent that doesn't do its part before the model has answered: our failure, so masked and tried again."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.outcomes.playing import MASKED, Played, Row, ids, play

pytestmark = pytest.mark.integration

#: The same command line, with one agent for each task that is broken in the way of the scenario's name.
DRIVER = str(Path(__file__).with_name("driver.py"))

# The agent must ask within 20 s; the time-out is longer.
ROWS = [
    #   scenario          outcome                 reward  requests
    Row("ends at once", [], "no-model-call", MASKED, ()),
    Row("fails at once", [], "agent-not-started", MASKED, ()),
    Row("never asks", [], "first-output-timeout", MASKED, ()),
    Row("withholds the image", [], "image-withheld", MASKED),
    Row("recodes the image", [], "image-withheld", MASKED),
]


@pytest.fixture(scope="module")
def played() -> Iterator[Played]:
    with play(ROWS, "--timeout", "40", "--first-call", "20", command=["-I", "-B", DRIVER], attempts=2) as done:
        yield done


def test_the_run(played: Played) -> None:
    played.check_whole()


@pytest.mark.parametrize("name", ids(ROWS))
def test_outcome(played: Played, name: str) -> None:
    played.check(name)


def test_the_reason_says_what_was_seen(played: Played) -> None:
    (reason, _) = [record.observed.reason for record in played.records("fails at once")]
    assert "ended with status 3" in reason
