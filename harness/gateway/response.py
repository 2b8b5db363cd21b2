"""What the bytes of an endpoint's response are: an answer to work with, or a failure."""

from typing import Final

from harness.gateway.answer import Answer, is_object, read
from harness.gateway.failures import Failure, of_error, of_response

# Of an error's body only this much is read, in bytes.
ERROR_MAX: Final = 64 * 1024

# What vLLM, SGLang and routers in front of them call the end of an answer that they could not finish.
_BROKEN_OFF: Final = frozenset({"abort", "error"})


def judged(status: int, data: bytes, *, stream: bool, most: int) -> Answer | Failure:
    """What a response that came to its end is.

    ``stream``: whether an event stream was asked for; ``most``: the bytes that an answer may have.
    """
    if status != 200:
        return of_response(status, data[:ERROR_MAX])
    if len(data) > most:
        return Failure("refused", 200, f"the response has more than {most} bytes")
    answer = read(data)
    if answer.error is not None:
        return of_error(answer.error)
    if stream and is_object(data):
        return Failure("broken", 200, "the endpoint was asked for an event stream and sent one JSON object")
    if not answer.whole:
        return Failure("broken", 200, "the response stops before its end")
    if answer.finish_reason in _BROKEN_OFF:
        return Failure("broken", 200, f"the endpoint broke its answer off: {answer.finish_reason}")
    return answer
