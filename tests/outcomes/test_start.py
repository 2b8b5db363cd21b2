"""Trouble with the endpoint before the model has answered once: masked, but for an overflow."""

from collections.abc import Iterator

import pytest

from tests.gateway.scripted import breaks_off, chunk, fails, hangs
from tests.outcomes.playing import MASKED, Played, Row, ids, play
from tests.outcomes.upstream import hangs_up, right

pytestmark = pytest.mark.integration

VLLM = (
    "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens in the messages. "
    "Please reduce the length of the messages."
)
OPENAI = "Your input exceeds the context window of this model. Please adjust your input and try again."
CUT = breaks_off(chunk({"content": "It is"}))

# Three tries of each call.
ROWS = [
    #   scenario               endpoint's acts                                outcome              reward  requests
    Row("500 for ever", [[fails(500, "oops")]], "upstream-failed", MASKED, (3,)),
    Row("429 for ever", [[fails(429, "slow down")]], "upstream-failed", MASKED, (3,)),
    Row("429, Retry-After", [[fails(429, "slow down", {"Retry-After": "1"})]], "upstream-failed", MASKED, (3,)),
    Row("hangs", [[hangs()]], "upstream-stalled", MASKED, (3,)),
    Row("hangs in the middle", [[hangs(chunk({"content": "It"}))]], "upstream-stalled", MASKED, (3,)),
    Row("cut for ever", [[CUT]], "upstream-failed", MASKED, (3,)),
    Row("cut once, then good", [[CUT, right("7")]], "answered", 1.0, (2,)),
    Row("dies", [[hangs_up]], "upstream-failed", MASKED, (3,)),
    Row("400 overflow, vLLM", [[fails(400, VLLM)]], "context-overflow", 0.0, (1,)),
    Row("400 overflow, OpenAI", [[fails(400, OPENAI, code="context_length_exceeded")]], "context-overflow", 0.0, (1,)),
    Row("400 other", [[fails(400, "unknown parameter")]], "upstream-refused", MASKED, (1,)),
    Row("401", [[fails(401, "bad key")]], "upstream-refused", MASKED, (1,)),
    Row("404", [[fails(404, "no such model")]], "upstream-refused", MASKED, (1,)),
    Row("413", [[fails(413, "too large")]], "upstream-refused", MASKED, (1,)),
]


@pytest.fixture(scope="module")
def played() -> Iterator[Played]:
    with play(ROWS, "--upstream-attempts", "3", "--upstream-backoff", "0.2", "--stall", "5", "--timeout", "60") as done:
        yield done


def test_the_run(played: Played) -> None:
    played.check_whole()


@pytest.mark.parametrize("name", ids(ROWS))
def test_outcome(played: Played, name: str) -> None:
    played.check(name)


def test_who_asks_for_a_pause_gets_it(played: Played) -> None:
    assert min(played.asked.pauses(played.task("429, Retry-After"))) > 0.7  # a second, less a quarter by chance


def test_a_refusal_is_shown_in_the_endpoints_own_words(played: Played) -> None:
    assert "no such model" in played.said
