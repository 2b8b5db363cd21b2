"""Asking the judge: any OpenAI-compatible endpoint, with bounded patience.

Nothing of the environment reaches the endpoint: no proxy, no organisation, no header but ours. The key is in no text
that leaves here.
"""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

import attrs

from harness.store import clock, judge_call
from harness.store.canonical import JSON

if TYPE_CHECKING:
    import openai

    from harness.gateway.policy import Secret  # with all of the gateway, which grading again needs nothing of

WORDS_MAX: Final = 300  # characters of what an endpoint or a connection said that are kept of a failure
_ESCAPE: Final = re.compile(r"\\u00([0-9A-Fa-f]{2})")
PAUSE_MAX: Final = 60  # seconds; the longest pause between two tries that an endpoint can ask for


@attrs.frozen
class JudgeEndpoint:
    """Where the judge is, and how long to wait for it; decides no verdict."""

    base_url: str
    api_key: "Secret | None"
    timeout: float = 120  # seconds for one try
    retries: int = 4  # after the first try; the client waits 0.5 to 8 s between two
    concurrency: int = 32  # the anchor's figure

    @property
    def patience(self) -> float:
        """Seconds after which a call is given up, whatever the endpoint does meanwhile."""
        return (self.timeout + PAUSE_MAX) * (self.retries + 1)


@attrs.frozen
class Call:
    """What came of one call: the body of a good answer, or why there is none."""

    body: str | None
    failure: str | None
    started_ns: int
    ended_ns: int

    def to_json(self) -> Mapping[str, JSON]:
        """As it is kept in the run folder."""
        return {
            "format": judge_call.FORMAT,
            "body": self.body,
            "failure": self.failure,
            "observed": {"started_ns": str(self.started_ns), "ended_ns": str(self.ended_ns)},
        }


class Replies(Protocol):
    """Where the judge's replies come from: a `Judge`, or a record of one."""

    async def ask(self, request: Mapping[str, JSON]) -> Call:
        """The reply to one request; a failure is a result, not an exception."""


@attrs.frozen
class Judge:
    """A judge that can be asked; made by `connect`."""

    endpoint: JudgeEndpoint
    client: "openai.AsyncOpenAI"
    slots: asyncio.Semaphore

    async def ask(self, request: Mapping[str, JSON]) -> Call:
        """Send one request, again after a failure that may pass; a failure is a result, not an exception."""
        async with self.slots:
            started = clock.now_ns()
            body, failure = await self._try(request)
            return Call(body, failure, started, clock.now_ns())

    async def _try(self, request: Mapping[str, JSON]) -> tuple[str | None, str | None]:
        import openai

        create = self.client.chat.completions.with_raw_response.create
        try:
            # Each try is bounded by itself; this is the last resort.
            async with asyncio.timeout(self.endpoint.patience):
                raw = await create(**cast("dict[str, Any]", dict(request)))
        except openai.APIStatusError as error:
            return None, f"The judge's endpoint answered HTTP {error.status_code}{self._said(error)}."
        except (openai.APITimeoutError, TimeoutError):
            return None, f"The judge's endpoint gave no answer within {self.endpoint.timeout:g} s."
        except openai.APIConnectionError as error:
            return None, f"The judge's endpoint could not be reached: {self._words(str(error.__cause__ or error))}."
        except openai.OpenAIError as error:
            return None, f"The answer of the judge's endpoint was not read: {self._words(str(error))}."
        body = self._clean(raw.content.decode("utf-8", "surrogateescape"))
        # What is read of it later is read as JSON, and the verdict in it once more.
        if self._clean(plain := _unescaped(body)) != plain:
            return None, "The judge's endpoint put its key into the answer."
        return body, None

    def _said(self, error: "openai.APIStatusError") -> str:
        """An error's body, but not where the endpoint talks about the key."""
        body = "" if error.status_code in (401, 403) else self._words(error.response.text)
        return f": {body}" if body else ""

    def _words(self, text: str) -> str:
        """The start of a text; the key is taken out first, else a part of it could be left at the end."""
        return self._clean(text)[:WORDS_MAX]

    def _clean(self, text: str) -> str:
        key = self.endpoint.api_key
        return text if key is None else key.redact(text)


def _unescaped(text: str) -> str:
    """The text without the escapes of JSON, however often it was put into JSON: only to be searched."""
    once = re.sub(r"\\+", r"\\", text)
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), once).replace("\\", "")


@contextlib.asynccontextmanager
async def connect(endpoint: JudgeEndpoint) -> AsyncIterator[Judge]:
    """A judge at an endpoint, until the block ends."""
    import openai  # takes a second; most commands never ask a judge

    from harness.grading.transport import Transport

    key = None if endpoint.api_key is None else endpoint.api_key.reveal()
    transport = Transport(key, timeout=endpoint.timeout, pause=PAUSE_MAX, connections=endpoint.concurrency)
    async with openai.DefaultAsyncHttpxClient(trust_env=False, follow_redirects=False, transport=transport) as http:
        client = openai.AsyncOpenAI(
            base_url=endpoint.base_url,
            api_key=key or "none",
            timeout=endpoint.timeout,
            max_retries=endpoint.retries,
            http_client=http,
        )
        yield Judge(endpoint, client, asyncio.Semaphore(endpoint.concurrency))
