"""Trouble with the endpoint in the middle of a conversation, after the model's first answer."""

from collections.abc import Iterator

import pytest

from tests.gateway.scripted import Act, breaks_off, chunk, fails, hangs, sends
from tests.outcomes.playing import MASKED, Played, Row, ids, play
from tests.outcomes.upstream import Script, hangs_up, right, uses

pytestmark = pytest.mark.integration

VLLM = "The decoder prompt (length 9000) is longer than the maximum model length of 8192. Reduce it."
OPENAI = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
IMAGES = "At most 1 image(s) may be provided in one prompt."
CUT = breaks_off(chunk({"content": "It is"}))


def then(*acts: Act, opening: Act | None = None) -> Script:
    """A shell command in the first turn, these acts in the second.

    ``opening`` is what the first request gets when it is asked once more, to tell an endpoint that fails from a request
    that it fails on.
    """
    return [[uses("true"), opening or uses("true")], acts]


ROWS = [
    #   scenario                endpoint's acts                                   outcome             reward  requests
    Row("500 for ever", then(fails(500, "oops"), opening=fails(500, "oops")), "upstream-failed", MASKED, (2, 3), 1),
    Row("500 to this alone", then(fails(500, "oops")), "request-refused", 0.0, (2, 6), 1),
    Row("429 for ever", then(fails(429, "slow down")), "upstream-failed", MASKED, (1, 3)),
    Row("429, then good", then(fails(429, "slow down"), right("4")), "answered", 1.0, (1, 2)),
    Row("hangs", then(hangs()), "upstream-stalled", MASKED, (1, 3)),
    Row("cut once, then good", then(CUT, right("6")), "answered", 1.0, (1, 2)),
    Row("dies", then(hangs_up), "upstream-failed", MASKED, (1, 3)),
    Row("400 overflow, vLLM", then(fails(400, VLLM)), "context-overflow", 0.0, (1, 1)),
    Row("400 overflow, OpenAI", then(fails(400, OPENAI)), "context-overflow", 0.0, (1, 1)),
    Row("400 other", then(fails(400, "unknown parameter")), "request-refused", 0.0, (2, 2), 1),
    Row("400 to all", then(fails(400, "no credit"), opening=fails(400, "no")), "upstream-refused", MASKED, (2, 1), 1),
    Row("302 to all", then(sends(b"", 302), opening=sends(b"", 302)), "upstream-refused", MASKED, (2, 1), 1),
    Row("401", then(fails(401, "bad key")), "upstream-refused", MASKED, (2, 2), 1),
    Row("413", then(fails(413, "too large")), "request-too-large", 0.0, (1, 1)),
    Row("too many images", then(fails(400, IMAGES)), "request-too-large", 0.0, (1, 1)),
]


@pytest.fixture(scope="module")
def played() -> Iterator[Played]:
    with play(ROWS, "--upstream-attempts", "3", "--upstream-backoff", "0.2", "--stall", "3", "--timeout", "60") as done:
        yield done


def test_the_run(played: Played) -> None:
    played.check_whole()


@pytest.mark.parametrize("name", ids(ROWS))
def test_outcome(played: Played, name: str) -> None:
    played.check(name)
