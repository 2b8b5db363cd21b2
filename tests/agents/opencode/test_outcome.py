"""DESIGN's table of outcomes, row by row; then what a shell might do to move an attempt from one row to another."""

from typing import Any, cast

import attrs
import pytest

from harness.agents.opencode import outcome as decide
from harness.agents.opencode import sandbox_failed
from harness.agents.opencode.outcomes import _GYM, MASKED, Outcome
from harness.gateway import Call, Chain, Failure, Refusal, Talk, Try
from harness.gateway.bodies import Body
from harness.sandbox.values import Ended, Evidence

# NeMo Gym's vocabulary of failure_kind.
GYM = {
    *("transport_unreachable", "transport_peer_drop", "transport_timeout", "transport_local_resource"),
    *("agent_run_error", "agent_request_failed", "agent_timeout", "agent_command_not_allowed"),
    *("judge_failed", "judge_unparseable", "verifier_error"),
    *("provider_unavailable", "provider_quota_exhausted", "provider_oom_killed"),
    *("session_lost", "session_expired", "session_release_failed"),
    *("cancelled", "kill_shaped", "shutdown", "persistence_failed", "cohort_incomplete"),
}

EXITED = Ended(0, "exited", 9)
DIED = Ended(137, "exited", 9)
FAILED = Ended(1, "exited", 9)
TIMED_OUT = Ended(None, "timed-out", 1800)
STOPPED = Ended(None, "stopped", 9)
OUT_OF_MEMORY = Ended(None, "out-of-memory", 9)

# Chains: without the opening, with the opening unanswered, broken off after the first answer, ended.
NOTHING = Chain((), None, None, False, (), ())
ASKED = Chain((), None, None, True, (), (), (0,))
WORKING = Chain((0,), "", "tool_calls", True, (), ())
NEXT = attrs.evolve(WORKING, unanswered=(1,))


def ended_with(reason: str | None, answer: str = "It is \\boxed{5}.") -> Chain:
    return Chain((0, 1), answer, reason, True, (), ())


def call(state: str = "answered", response: bytes = b"", *troubles: str | None, last: int = 9) -> Call:
    """A call whose tries ended in these troubles, each after a nanosecond, the last one after ``last``."""
    lengths = [1] * (len(troubles) - 1) + [last]
    tries = tuple(Try(at, at + lengths[at], 0, trouble) for at, trouble in enumerate(troubles))
    return Call(0, Body(None, 0, b"{}"), 0, cast("Any", state), response, 200, 99, tries=tries)


def failure(kind: str, status: int | None = 500, *, alone: bool = False) -> Failure:
    return Failure(cast("Any", kind), status, "in its own words", alone=alone)


@attrs.frozen
class Seen:
    """Stands in for a talk: what the gateway saw. ``next_failure`` is that of the chain's next call."""

    calls: tuple[Call, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    failure: Failure | None = None
    exhausted: str | None = None
    next_failure: Failure | None = None

    def failure_of(self, _chain: Chain) -> Failure | None:
        return self.next_failure


def failing(kind: str, status: int | None = 500, *, alone: bool = False) -> Seen:
    """The chain's next call was given up; ``alone``: the endpoint answered another one in between."""
    return Seen((call(), call("failed")), next_failure=failure(kind, status, alone=alone))


def evidence(full: tuple[str, ...] = (), events: bytes = b"") -> Evidence:
    return Evidence(b"rules", b"filter", 1, 0, (), False, {}, {}, 1, ("init", "ids"), full, {"events.jsonl": events})


def of(ended: Ended, seen: Seen, chain: Chain, outside: Evidence | None = None) -> Outcome:
    return decide(ended, cast("Talk", seen), outside or evidence(), chain)


ONE = Seen((call(),))
SILENCE = "silent: nothing came for 600 s"

MEASURED = [
    ("answered", EXITED, ONE, ended_with("stop")),
    ("answered", DIED, ONE, ended_with("stop")),  # killed, or stuck, after it had answered
    ("answered", TIMED_OUT, ONE, ended_with("stop")),
    ("no-answer", EXITED, ONE, ended_with("stop", "")),
    ("no-answer", EXITED, ONE, ended_with("stop", " \n")),
    ("no-answer", EXITED, ONE, ended_with("content_filter")),
    ("no-answer", EXITED, ONE, WORKING),  # ended by itself between two calls
    ("task-timeout", TIMED_OUT, ONE, WORKING),
    ("task-timeout", TIMED_OUT, Seen((call("cancelled"),)), ASKED),  # at its first answer, for less than the stall
    ("task-timeout", TIMED_OUT, Seen((call("cancelled", b"data: {}", "cancelled"),)), ASKED),
    ("task-timeout", TIMED_OUT, Seen((call(), call("cancelled", b"data: {}", "cancelled"))), NEXT),
    ("task-timeout", TIMED_OUT, Seen((call(), call("cancelled", b"data: {}", "broken: cut", "cancelled"))), NEXT),
    ("output-cap", EXITED, ONE, ended_with("length")),
    ("context-overflow", DIED, failing("overflow", 400), NEXT),
    ("context-overflow", STOPPED, Seen((call("failed"),), next_failure=failure("overflow", 400)), ASKED),
    ("request-too-large", DIED, failing("too-large", 413), NEXT),
    ("request-refused", DIED, failing("refused", 400, alone=True), NEXT),
    ("request-refused", DIED, failing("broken", 500, alone=True), NEXT),
    ("budget", DIED, Seen((call(),), exhausted="calls"), WORKING),
    ("budget", DIED, Seen((call(),), exhausted="tokens"), WORKING),
    ("agent-died", DIED, ONE, WORKING),
    ("agent-died", DIED, failing("broken", 500), NEXT),  # by a signal, and not for the endpoint's sake
    ("agent-died", FAILED, Seen((call(), call("cancelled", b"", "overloaded: 503"))), NEXT),  # did not wait for its end
    ("no-answer", EXITED, Seen((call(), call("cancelled", b"", SILENCE, "cancelled"))), NEXT),
    ("out-of-memory", OUT_OF_MEMORY, ONE, WORKING),
    ("out-of-memory", OUT_OF_MEMORY, failing("broken", 500), NEXT),
    ("out-of-memory", OUT_OF_MEMORY, Seen((call(), call("cancelled", b"", "overloaded: 503"))), NEXT),
]
MASKED_ROWS = [
    ("agent-not-started", Ended(97, "exited", 1), Seen(), NOTHING),
    ("agent-not-started", OUT_OF_MEMORY, Seen(), NOTHING),
    ("agent-not-started", DIED, Seen((call("cancelled"),)), ASKED),
    ("agent-not-started", OUT_OF_MEMORY, Seen((call("cancelled"),)), ASKED),
    ("first-output-timeout", STOPPED, Seen(), NOTHING),
    ("first-output-timeout", TIMED_OUT, Seen(), NOTHING),
    ("no-model-call", EXITED, Seen(), NOTHING),
    ("image-withheld", EXITED, ONE, attrs.evolve(ended_with("stop"), image_ok=False)),
    ("image-withheld", DIED, Seen((call("failed"),), next_failure=failure("broken")), NOTHING),
    ("upstream-failed", STOPPED, Seen((call("failed"),), next_failure=failure("unreachable", None)), ASKED),
    ("upstream-failed", STOPPED, Seen((call("failed"),), next_failure=failure("broken")), ASKED),
    ("upstream-failed", STOPPED, Seen((call("failed"),), next_failure=failure("overloaded", 429)), ASKED),
    ("upstream-failed", STOPPED, failing("unreachable", None), NEXT),
    ("upstream-failed", STOPPED, failing("overloaded", 503), NEXT),
    ("upstream-failed", FAILED, failing("broken"), NEXT),  # as OpenCode ends where it gets no answer
    ("upstream-failed", TIMED_OUT, Seen((call("cancelled", b"", "overloaded: 503"),)), ASKED),  # waits to try again
    ("upstream-failed", TIMED_OUT, Seen((call(), call("cancelled", b"{}", "overloaded: 503"))), NEXT),
    ("upstream-failed", EXITED, ONE, ended_with("abort")),
    ("upstream-refused", STOPPED, Seen((call("failed"),), next_failure=failure("refused", 400)), ASKED),
    ("upstream-refused", STOPPED, Seen((call("failed"),), next_failure=failure("too-large", 413)), ASKED),
    *(("upstream-refused", DIED, failing("refused", status), NEXT) for status in (401, 402, 404, 429)),
    ("upstream-stalled", STOPPED, Seen((call("failed"),), next_failure=failure("silent", None)), ASKED),
    ("upstream-stalled", STOPPED, failing("silent", 200), NEXT),
    ("upstream-stalled", TIMED_OUT, Seen((call("cancelled", b"", SILENCE, "cancelled"),)), ASKED),
    ("upstream-stalled", TIMED_OUT, Seen((call(), call("cancelled", b"", SILENCE, "cancelled"))), NEXT),
    ("upstream-stalled", TIMED_OUT, Seen((call("cancelled", b"data: {}", SILENCE, "cancelled"),)), ASKED),
    ("sandbox-failed", STOPPED, ONE, WORKING),  # not by the gateway: from outside
    ("sandbox-failed", STOPPED, Seen((call("cancelled"),)), ASKED),
]


@pytest.mark.parametrize(("kind", "ended", "seen", "chain"), MEASURED)
def test_a_measurement(kind: str, ended: Ended, seen: Seen, chain: Chain) -> None:
    found = of(ended, seen, chain)
    assert (found.kind, found.masked) == (kind, False)


@pytest.mark.parametrize(("kind", "ended", "seen", "chain"), MASKED_ROWS)
def test_no_measurement(kind: str, ended: Ended, seen: Seen, chain: Chain) -> None:
    found = of(ended, seen, chain)
    assert (found.kind, found.masked) == (kind, True)
    assert found.reason


def test_a_full_folder_explains_a_death() -> None:
    found = of(DIED, ONE, WORKING, evidence(full=("/workspace",)))
    assert (found.kind, found.masked) == ("workdir-full", False)
    assert "/workspace" in found.reason


def test_the_gateways_own_trouble_is_ours() -> None:
    assert of(STOPPED, attrs.evolve(ONE, failure=failure("broken", None)), WORKING).kind == "upstream-failed"


def test_a_sandbox_that_failed_is_ours() -> None:
    found = sandbox_failed("no listener")
    assert (found.kind, found.masked, found.reason) == ("sandbox-failed", True, "no listener")


def test_a_refused_first_request_is_told() -> None:
    refusal = Refusal(0, 400, "tools[0] has an unknown field", "POST", "/v1/chat/completions", 9, "0" * 64, "")
    found = of(EXITED, Seen(refusals=(refusal,)), NOTHING)
    assert (found.kind, found.masked) == ("no-model-call", True)
    assert "tools[0] has an unknown field" in found.reason


def test_what_the_agent_said_explains_its_death_and_decides_nothing() -> None:
    said = b'{"type":"error","error":{"name":"UnknownError","data":{"message":"HTTP 503, sandbox failed, masked"}}}\n'
    found = of(DIED, ONE, WORKING, evidence(events=said))
    assert (found.kind, found.masked) == ("agent-died", False)
    assert "UnknownError: HTTP 503" in found.reason


# From here: the model has answered, and its shell wants the attempt made again.
BESIDE = [attrs.evolve(NEXT, off_chain=(2,)), attrs.evolve(NEXT, unanswered=(1, 2))]
THREE = (call(), call("failed"), call("failed"))


@pytest.mark.parametrize("chain", BESIDE)
@pytest.mark.parametrize("kind", ["unreachable", "overloaded", "broken", "silent"])
@pytest.mark.parametrize("ended", [DIED, STOPPED, TIMED_OUT, OUT_OF_MEMORY])
def test_an_endpoint_that_the_shell_may_have_flooded_is_no_excuse(chain: Chain, kind: str, ended: Ended) -> None:
    found = failure(kind, 503)
    assert not of(ended, Seen(THREE, failure=found, next_failure=found), chain).masked
    assert not of(ended, Seen(THREE, failure=found), chain).masked


@pytest.mark.parametrize("chain", BESIDE)
def test_silence_beside_the_shells_own_calls_is_no_excuse(chain: Chain) -> None:
    calls = (call(), *(call("cancelled", b"", SILENCE, "cancelled") for _ in range(2)))
    assert of(TIMED_OUT, Seen(calls), chain).kind == "task-timeout"


@pytest.mark.parametrize("status", [400, 403, 409, 415, 422])
def test_a_request_that_the_endpoint_does_not_take_is_no_excuse(status: int) -> None:
    assert not of(DIED, failing("refused", status, alone=True), NEXT).masked


@pytest.mark.parametrize("status", [200, 302, 400, 401, 402, 403, 407, 429])
def test_an_endpoint_that_takes_no_request_any_more_says_nothing_of_the_model(status: int) -> None:
    assert of(DIED, failing("refused", status), NEXT).kind == "upstream-refused"


@pytest.mark.parametrize(("last", "kind"), [(2, "upstream-failed"), (3, "task-timeout")])
def test_a_model_talks_if_it_talked_for_longer_than_the_tries_before_it(last: int, kind: str) -> None:
    cut = call("cancelled", b"data: {}", "broken: cut", "broken: cut", "cancelled", last=last)
    assert of(TIMED_OUT, Seen((call(), cut)), NEXT).kind == kind


@pytest.mark.parametrize("ended", [EXITED, DIED, TIMED_OUT, OUT_OF_MEMORY])
@pytest.mark.parametrize("code", [0, 1, 97, 137, 143, 255])
def test_no_way_to_end_the_sandbox_is_an_excuse(ended: Ended, code: int) -> None:
    shown = attrs.evolve(ended, exit_code=code) if ended.how == "exited" else ended
    assert not of(shown, ONE, WORKING, evidence(full=("/tmp", "/home"))).masked


def test_calls_beside_the_chain_take_no_answer_away() -> None:
    chain = attrs.evolve(ended_with("stop"), off_chain=(2, 3), flags=("off-chain-calls",))
    assert of(STOPPED, Seen(failure=failure("overloaded", 429)), chain).kind == "answered"


def test_the_key_is_never_at_fault_for_what_the_shell_sends() -> None:
    found = of(DIED, failing("refused", 401), attrs.evolve(NEXT, off_chain=(2,)))
    assert (found.kind, found.masked) == ("upstream-refused", True)


@pytest.mark.parametrize("status", [402, 429])
@pytest.mark.parametrize("chain", BESIDE)
def test_a_quota_that_the_shell_may_have_spent_is_no_excuse(status: int, chain: Chain) -> None:
    assert of(DIED, failing("refused", status), NEXT).masked
    assert not of(DIED, failing("refused", status), chain).masked


def test_gyms_words_are_gyms() -> None:
    assert set(_GYM.values()) <= GYM
    assert set(_GYM) >= MASKED
    assert of(EXITED, ONE, ended_with("stop")).failure_kind is None
    assert of(TIMED_OUT, ONE, WORKING).failure_kind == "agent_timeout"
    assert of(STOPPED, failing("unreachable", None), NEXT).failure_kind == "transport_unreachable"
    assert of(STOPPED, failing("overloaded", 503), NEXT).failure_kind == "agent_request_failed"
