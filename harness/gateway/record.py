"""What the gateway keeps of a sandbox's calls and of what it refused."""

import hashlib
from typing import Final, Literal

import attrs

from harness.gateway.answer import Answer
from harness.gateway.bodies import Body
from harness.gateway.failures import Failure
from harness.gateway.packed import Packed

EXCERPT_MAX: Final = 500
_LINE_MAX: Final = 300

# The trouble of a try that ended with the call, when the sandbox hung up or the talk was over.
CANCELLED: Final = "cancelled"

# waiting: in flight. cancelled: the sandbox hung up, or the talk ended before the answer was complete.
State = Literal["waiting", "answered", "failed", "cancelled"]


def _packed(data: bytes | Packed) -> Packed:
    return Packed.plain(data) if isinstance(data, bytes) else data


@attrs.frozen
class Try:
    """One try at the endpoint: nanoseconds since 1970, its HTTP status (0: none), and what was wrong, if anything.

    ``given_up``: after this one the call was given up.
    """

    started_ns: int
    ended_ns: int
    status: int
    trouble: str | None
    given_up: bool = False


@attrs.frozen
class Call:
    """An accepted call.

    ``request`` is the sandbox's body with the date pinned: neither key, host nor the model's real name are in it.
    ``response`` is what the endpoint's last try sent (after content decoding), which for an answered call is what the
    sandbox got, byte for byte. ``status`` is that try's HTTP status, 0 if it got none. ``answer`` is there if it was
    complete, ``failure`` if the tries were given up. ``alone`` is what a failure's is, for a call that the endpoint was
    failing when the talk ended. Times are nanoseconds since 1970.
    """

    index: int
    request: Body = attrs.field(repr=False)
    started_ns: int
    state: State = "waiting"
    packed: Packed = attrs.field(default=Packed.plain(b""), converter=_packed, repr=False)
    status: int = 0
    ended_ns: int = 0
    answer: Answer | None = None
    failure: Failure | None = None
    tries: tuple[Try, ...] = ()
    alone: bool = False

    @property
    def response(self) -> bytes:
        """The answer's bytes, unpacked anew each time."""
        return self.packed.data()

    @property
    def request_body(self) -> bytes:
        """The request's bytes, put together anew each time."""
        return self.request.data()


@attrs.frozen
class Refusal:
    """A request that was not passed on: where it stands among the refused, what it was, and why."""

    index: int
    status: int
    reason: str
    method: str
    path: str
    size: int
    sha256: str
    excerpt: str


def refusal(index: int, status: int, reason: str, method: str, path: str, body: bytes) -> Refusal:
    """A refusal with what of the request is worth keeping; ``body`` is as much of it as was read."""
    return Refusal(
        index=index,
        status=status,
        reason=_plain(reason),
        method=_plain(method),
        path=_plain(path),
        size=len(body),
        sha256=hashlib.sha256(body).hexdigest(),
        excerpt=body[:EXCERPT_MAX].decode("ascii", "backslashreplace"),
    )


def _plain(text: str) -> str:
    """Short ASCII of what may hold anything."""
    return text.encode("ascii", "backslashreplace").decode()[:_LINE_MAX]
