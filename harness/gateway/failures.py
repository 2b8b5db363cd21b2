"""What an endpoint's refusal or silence means: whether to try again, and whose doing it is."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final, Literal

import attrs

# overflow: the conversation is longer than the context. too-large: too many or too large images, or too many bytes.
# refused: any other answer that the same request would get again, be it for what it holds or for who asks. broken: an
# answer, but none to work with (500, cut, no event stream). overloaded: 429, 502 to 504, 529. silent: no byte for as
# long as is allowed, before an answer or in the middle of one. unreachable: no answer at all. not-recorded: it is a
# record that answers, and this request is not in it.
Kind = Literal["overflow", "too-large", "refused", "broken", "overloaded", "silent", "unreachable", "not-recorded"]

# The kinds after which another try can help.
_AGAIN: Final = frozenset({"broken", "overloaded", "silent", "unreachable"})

# As OpenCode 1.17.11 knows them, and as vLLM, SGLang, llama.cpp and OpenAI word them.
_OVERFLOW: Final = re.compile(
    r"maximum context length|context[ _]length[ _]exceeded|model_context_window_exceeded"
    r"|context length is only|(?:exceeds?|longer than|greater than|larger than) the (?:model'?s )?"
    r"(?:maximum |available )?(?:context|model) (?:window|length|size)"
    r"|longer than the maximum model length|reduce the length of the (?:input|messages)|prompt (?:is )?too long"
    r"|input is too long for requested model|input token count.{0,200}exceeds the maximum|maximum prompt length is \d"
    r"|context window exceeds limit|exceeded model token limit|input length.{0,200}exceeds.{0,200}context length"
    r"|with \d+ maximum context length|exceeds the model'?s maximum context",
    re.IGNORECASE | re.DOTALL,
)
_TOO_LARGE: Final = re.compile(
    r"request entity too large|payload too large|(?:request|body|content) (?:is )?too large|too many images"
    r"|at most \d+ (?:image|video|audio|multi-?modal)|(?:number|count|amount) of images|max(?:imum)?[ _]images"
    r"|images? (?:is |are |size |file )?(?:too large|exceeds|too big)|exceeds .{0,40}image (?:limit|size)",
    re.IGNORECASE | re.DOTALL,
)
_NO_QUOTA: Final = re.compile("insufficient_quota")

_OVERLOADED: Final = frozenset({408, 425, 429, 502, 503, 504, 529})
WORDS_MAX: Final = 2000


@attrs.frozen
class Failure:
    """Why a call got no answer.

    ``status`` is the endpoint's last HTTP status, None where there was none; ``words`` is what it said, shortened and
    without the key. ``spoken`` is true where the endpoint itself said so, rather than its silence or a cut. ``call`` is
    the number of the call. ``opening`` is true for the conversation's first request, which the sandboxed side had no
    part in. ``alone`` is true where the endpoint failed or refused this request again and again and answered another
    one in between: then it is what the request holds, and not the endpoint's state or whose account it is.
    """

    kind: Kind
    status: int | None
    words: str
    call: int = -1
    opening: bool = False
    spoken: bool = False
    alone: bool = False

    @property
    def again(self) -> bool:
        """Whether another try can help."""
        return self.kind in _AGAIN

    @property
    def said(self) -> str:
        """It in one line, as the trouble of a try."""
        return f"{self.kind}: {self.words}"

    @property
    def says_so(self) -> bool:
        """Whether the endpoint said that it failed or refused, for a reason that may lie in the request.

        Silence, cuts and overload come of load and of what lies between.
        """
        return self.kind == "refused" or (self.kind == "broken" and self.spoken)


def of_response(status: int, body: bytes) -> Failure:
    """The failure that an HTTP response other than a good one is."""
    said = body.decode("utf-8", "replace")
    return Failure(_kind(status, said), status, _words(said), spoken=True)


def of_error(error: str) -> Failure:
    """The failure that an error object inside a response with status 200 is; ``error`` is its JSON."""
    try:
        value = json.loads(error)
    except (ValueError, RecursionError):  # it was shortened, or is as deep as it gets
        value = error
    code = value.get("code") if isinstance(value, dict) else None
    number = int(str(code)) if re.fullmatch(r"[45][0-9]{2}", str(code)[:9]) else None
    return Failure(_kind(number or 500, error), number or 200, _words(error), spoken=True)


def _kind(status: int, said: str) -> Kind:
    if _NO_QUOTA.search(said):
        return "refused"
    if status in _OVERLOADED:
        return "overloaded"  # before the words: what is said of load and rates has length and size in it, too
    if status >= 400 and _OVERFLOW.search(said):
        return "overflow"
    if status == 413 or (400 <= status < 500 and _TOO_LARGE.search(said)):
        return "too-large"
    if status >= 500 or 200 <= status < 300:
        return "broken"
    return "refused"


def _words(said: str) -> str:
    """The message in an error body, wherever the server put it, or the beginning of the body."""
    try:
        found: object = json.loads(said)
        for name in ("error", "message", "detail"):
            if isinstance(found, Mapping) and found.get(name):
                found = found[name]
        text = found if isinstance(found, str) else json.dumps(found)
    except (ValueError, RecursionError):
        text = said
    return text.strip()[:WORDS_MAX]


def retry_after(value: str | None, now: datetime | None = None) -> float | None:
    """Seconds that a Retry-After header asks for, None if it is missing or makes no sense."""
    if value is None:
        return None
    if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", value.strip()):
        return float(value)
    try:
        when = parsedate_to_datetime(value)
        return max(0.0, (when - (now or datetime.now(UTC))).total_seconds())
    except (ValueError, TypeError, OverflowError):  # TypeError: a date without a time zone
        return None
