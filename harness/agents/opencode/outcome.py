"""What an attempt came to, decided from what was seen outside of the sandbox.

Once the model has answered, a shell that it drives can do anything in the sandbox: kill the agent, eat its memory, send
the gateway whatever it likes. So from then on an attempt is masked only for what such a shell can't bring about. What
the agent itself printed is used for the words of a reason and for nothing else.
"""

from typing import Final

from harness.agents.opencode.events import parse
from harness.agents.opencode.outcomes import Outcome, of
from harness.agents.opencode.stage import EVENTS
from harness.gateway import Call, Chain, Failure, Talk
from harness.sandbox.values import Ended, Evidence

# Refusals that no request's content brings about, as the gateway puts in key and model: unauthorised, not paid for, no
# such model, quota used up.
_NOT_BY_CONTENT: Final = frozenset({401, 402, 404, 429})

# Of these, what calls beside the conversation can bring about: they cost money and quota too.
_BY_SPENDING: Final = frozenset({402, 429})

# How a call, and its last try, end in the gateway's record when the talk ends before them.
_CANCELLED: Final = "cancelled"

# How the trouble of a try begins that was given up because nothing came.
_SILENT: Final = "silent:"


def outcome(ended: Ended, talk: Talk, evidence: Evidence, chain: Chain) -> Outcome:
    """The outcome of an attempt whose sandbox and gateway have ended; ``chain`` is the talk's trusted record."""
    if talk.failure and talk.failure.kind == "not-recorded":
        return of("not-recorded", talk.failure.words)
    if not chain.image_ok:
        return _without_opening(ended, talk)
    if not chain.calls:
        return _unanswered(ended, talk, chain)
    if chain.finish_reason == "tool_calls":
        return _broken_off(ended, talk, evidence, chain)
    return _finished(chain)


def _without_opening(ended: Ended, talk: Talk) -> Outcome:
    """The chain doesn't begin with the task. Nothing of the model's ran before, so it is our doing."""
    if talk.calls:
        return of("image-withheld", "The agent's first request did not hold the prompt and its images as they are.")
    refused = f" The gateway refused: {talk.refusals[0].reason}." if talk.refusals else ""
    if ended.how in ("stopped", "timed-out"):
        said = f"No model call within {ended.seconds:.0f} s. A slow or busy machine needs a longer --first-call."
        return of("first-output-timeout", f"{said}{refused}")
    if ended.exit_code == 0:
        return of("no-model-call", f"The agent ended with status 0 without a model call.{refused}")
    return of("agent-not-started", f"The agent {_end(ended)} before its first model call.{refused}")


def _unanswered(ended: Ended, talk: Talk, chain: Chain) -> Outcome:
    """The model never answered the task, so nothing of its making ran."""
    if failure := talk.failure_of(chain) or talk.failure:
        if failure.kind == "overflow":
            return of("context-overflow", _words(failure))
        if failure.kind in ("refused", "too-large"):
            return of("upstream-refused", _words(failure))
        return _no_answer(failure)
    if trouble := _trouble_at_the_end(talk, chain):
        return trouble
    if ended.how == "timed-out":
        return of("task-timeout", "The model had not completed its first answer when the time was up.")
    if ended.how == "stopped":
        return of("sandbox-failed", "The attempt was stopped from outside.")
    return of("agent-not-started", f"The agent {_end(ended)} before the model had answered.")


def _broken_off(ended: Ended, talk: Talk, evidence: Evidence, chain: Chain) -> Outcome:
    """The model asked for tools, and the chain ends there."""
    failure = talk.failure_of(chain)
    if failure and (found := _refused(failure, beside=_calls_beside(chain))):
        return found
    if not _calls_beside(chain) and not _ended_by_shell(ended):
        if failure := failure or talk.failure:
            return _no_answer(failure)
        if ended.how != "exited" and (trouble := _trouble_at_the_end(talk, chain)):
            return trouble
    if budget := talk.exhausted:
        return of("budget", f"The budget of {budget} was used up.")
    return _ended_early(ended, talk, evidence)


def _refused(failure: Failure, *, beside: bool) -> Outcome | None:
    """The outcome where the endpoint would not take the chain's next request; None for any other failure.

    ``beside``: there were calls beside the chain.
    """
    spent = beside and failure.status in _BY_SPENDING
    match failure.kind:
        case "overflow":
            return of("context-overflow", _words(failure))
        case "too-large":
            return of("request-too-large", _words(failure))
        case "refused" if spent:
            return of("request-refused", _words(failure))
        case "refused" | "broken" if failure.alone and failure.status not in _NOT_BY_CONTENT:
            return of("request-refused", f"{_words(failure)} It answered another request in between.")
        case "refused":
            return of("upstream-refused", _words(failure))
    return None


def _no_answer(failure: Failure) -> Outcome:
    """The outcome where the endpoint had no answer to give, to any request."""
    match failure.kind:
        case "silent":
            return of("upstream-stalled", _words(failure))
        case "unreachable":
            return of("upstream-failed", _words(failure), gym="transport_unreachable")
    return of("upstream-failed", _words(failure))


def _ended_early(ended: Ended, talk: Talk, evidence: Evidence) -> Outcome:
    """How the sandbox ended, where only that is left to explain it."""
    match ended.how:
        case "timed-out":
            return of("task-timeout", f"Still at work after {ended.seconds:.0f} s.")
        case "out-of-memory":
            return of("out-of-memory", "The sandbox ran out of memory.")
        case "stopped" if talk.failure is None:
            return of("sandbox-failed", "The attempt was stopped from outside.")
        case "exited" if ended.exit_code == 0:
            return of("no-answer", "The agent ended by itself, without an answer.")
    if evidence.full:
        return of("workdir-full", f"The agent {_end(ended)} with {' and '.join(evidence.full)} full.")
    errors = parse(evidence.outputs.get(EVENTS, b"")).errors
    return of("agent-died", f"The agent {_end(ended)}." + (f" It said: {errors[-1]}" if errors else ""))


def _finished(chain: Chain) -> Outcome:
    """The model's last turn asked for no tools."""
    match chain.finish_reason:
        case "stop" if (chain.answer or "").strip():
            return of("answered")
        case "stop":
            return of("no-answer", "The model's last turn holds no text.")
        case "length":
            return of("output-cap", "The model's last turn reached the output limit.")
        case "content_filter":
            return of("no-answer", "The endpoint's filter cut the model's last turn.")
    return of("upstream-failed", f"The endpoint ended a turn with the unknown reason {chain.finish_reason!r}.")


def _calls_beside(chain: Chain) -> bool:
    """Whether anything but the agent called the gateway: then trouble at the endpoint can be its doing."""
    return bool(chain.off_chain) or len(chain.unanswered) > 1


def _ended_by_shell(ended: Ended) -> bool:
    """Whether something in the sandbox ended the agent: it ate the memory, or sent it a signal.

    From outside only the whole sandbox is ended. An agent that meets trouble at the endpoint ends by itself, with
    status 1, and not before the gateway has told it: one that went during a call was not ended by the endpoint.
    """
    return ended.how == "out-of-memory" or (ended.exit_code is not None and ended.exit_code > 128)


def _trouble_at_the_end(talk: Talk, chain: Chain) -> Outcome | None:
    """The outcome where the endpoint was failing the chain's next call when the attempt ended.

    Not where it then answered another request: it failed on what this one held. Once it went silent in this call for as
    long as it may, the time was its own to lose. After any other trouble, a try that brings bytes is a model that
    talks, if it has talked for longer than the tries before it took.
    """
    call = talk.calls[chain.unanswered[-1]] if chain.unanswered else None
    if call is None or call.state != _CANCELLED or call.alone:
        return None
    troubles = [tried.trouble for tried in call.tries if tried.trouble and tried.trouble != _CANCELLED]
    if silent := next((trouble for trouble in troubles if trouble.startswith(_SILENT)), None):
        return of("upstream-stalled", f"When the attempt ended: {silent}.")
    return of("upstream-failed", f"When the attempt ended: {troubles[-1]}.") if troubles and not _talks(call) else None


def _talks(call: Call) -> bool:
    """Whether the endpoint was talking when the call was ended, and had for longer than the call took until then."""
    last = call.tries[-1] if call.tries else None
    if last is None or last.trouble != _CANCELLED or not call.response:
        return False
    return last.ended_ns - last.started_ns > last.started_ns - call.started_ns


def _end(ended: Ended) -> str:
    match ended.how:
        case "exited":
            return f"ended with status {ended.exit_code}"
        case "out-of-memory":
            return "ran out of memory"
        case "timed-out":
            return f"was ended after {ended.seconds:.0f} s"
        case "stopped":
            return "was stopped, since a call of the sandbox's own making reached no endpoint"


def _words(failure: Failure) -> str:
    status = "nothing" if failure.status is None else f"HTTP {failure.status}"
    return f"The endpoint answered {status}: {failure.words}"
