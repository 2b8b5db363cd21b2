"""How a model's own last turn ends, and how its budget does."""

from collections.abc import Iterator

import pytest

from tests.gateway.scripted import says
from tests.outcomes.playing import MASKED, Played, Row, ids, play
from tests.outcomes.upstream import right, uses

pytestmark = pytest.mark.integration

BUDGETS = ("--max-calls", "4", "--token-budget", "100")
FOR_EVER = [[uses("true")]] * 9

ROWS = [
    #   scenario          model's turns                                             outcome         reward  requests
    Row("empty answer", [[says("")]], "no-answer", 0.0, (1,)),
    Row("blank answer", [[uses("true")], [says(" \n")]], "no-answer", 0.0, (1, 1)),
    Row("length", [[says("It is", finish="length")]], "output-cap", 0.0, (1,)),
    Row("content filter", [[says("It", finish="content_filter")]], "no-answer", 0.0, (1,)),
    Row("unknown finish reason", [[says("It is \\boxed{A}.", finish="eos")]], "upstream-failed", MASKED, (2,)),
    Row("wrong answer", [[says("It is \\boxed{nothing}.")]], "answered", 0.0, (1,)),
    Row("right answer", [[uses("true")], [right("7")]], "answered", 1.0, (1, 1)),
    Row("budget of calls", FOR_EVER, "budget", 0.0, (1, 1, 1, 1)),
]


@pytest.fixture(scope="module")
def played() -> Iterator[Played]:
    """A scripted turn counts 5 tokens."""
    with play(ROWS, *BUDGETS, "--timeout", "60", "--upstream-backoff", "0.1", attempts=2) as done:
        yield done


def test_the_run(played: Played) -> None:
    played.check_whole()


@pytest.mark.parametrize("name", ids(ROWS))
def test_outcome(played: Played, name: str) -> None:
    played.check(name)


TOKENS = [Row("budget of tokens", FOR_EVER, "budget", 0.0, (1, 1))]


def test_budget_of_tokens() -> None:
    with play(TOKENS, "--timeout", "60", "--token-budget", "10") as done:
        done.check_whole()
        done.check("budget of tokens")
