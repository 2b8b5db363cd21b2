"""Asking the judge: any OpenAI-compatible endpoint, with bounded patience.

Nothing of the environment reaches the endpoint: no proxy, no organisation, no header but ours. The key is in no text
that leaves here.
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any, cast

import attrs

from harness.gateway.policy import Secret
from harness.store.canonical import JSON

if TYPE_CHECKING:
    import openai

FORMAT = 1
BODY_SHOWN = 300  # characters of an error's body that are kept
PAUSE_MAX = 60  # seconds; the longest pause between two tries that the client takes from an endpoint

# The last one is how the client tells itself to give the body as it came.
_HEADERS = {"host", "accept", "content-type", "content-length", "user-agent", "connection", "x-stainless-raw-response"}


@attrs.frozen
class JudgeEndpoint:
    """Where the judge is, and how long to wait for it; decides no verdict."""

    base_url: str
    api_key: Secret | None
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
            "format": FORMAT,
            "body": self.body,
            "failure": self.failure,
            "observed": {"started_ns": str(self.started_ns), "ended_ns": str(self.ended_ns)},
        }


@attrs.frozen
class Judge:
    """A judge that can be asked; made by `connect`."""

    endpoint: JudgeEndpoint
    client: "openai.AsyncOpenAI"
    slots: asyncio.Semaphore

    async def ask(self, request: Mapping[str, JSON]) -> Call:
        """Send one request, again after a failure that may pass; a failure is a result, not an exception."""
        async with self.slots:
            started = time.time_ns()
            body, failure = await self._try(request)
            return Call(self._clean(body), self._clean(failure), started, time.time_ns())

    async def _try(self, request: Mapping[str, JSON]) -> tuple[str | None, str | None]:
        import openai

        create = self.client.chat.completions.with_raw_response.create
        try:
            # The client's own time-out is one of silence; this one ends an endpoint that drips.
            async with asyncio.timeout(self.endpoint.patience):
                raw = await create(**cast("dict[str, Any]", dict(request)))
        except openai.APIStatusError as error:
            return None, f"The judge's endpoint answered HTTP {error.status_code}{_shown(error)}."
        except (openai.APITimeoutError, TimeoutError):
            return None, f"The judge's endpoint gave no answer within {self.endpoint.timeout:g} s."
        except openai.APIConnectionError as error:
            return None, f"The judge's endpoint could not be reached: {error.__cause__ or error}."
        return raw.content.decode("utf-8", "surrogateescape"), None

    def _clean(self, text: str | None) -> str | None:
        key = self.endpoint.api_key
        return text if text is None or key is None else key.redact(text)


@contextlib.asynccontextmanager
async def connect(endpoint: JudgeEndpoint) -> AsyncIterator[Judge]:
    """A judge at an endpoint, until the block ends."""
    import openai  # takes a second; most commands never ask a judge

    key = None if endpoint.api_key is None else endpoint.api_key.reveal()

    async def only_ours(message: Any) -> None:
        """Take out what the client puts into a request of its own accord, also from OPENAI_* variables."""
        for name in list(message.headers):
            if name.lower() not in _HEADERS:
                del message.headers[name]
        if key is not None:
            message.headers["Authorization"] = f"Bearer {key}"

    http = openai.DefaultAsyncHttpxClient(
        trust_env=False, follow_redirects=False, event_hooks={"request": [only_ours]}, timeout=endpoint.timeout
    )
    async with http:
        client = openai.AsyncOpenAI(
            base_url=endpoint.base_url,
            api_key=key or "none",
            timeout=endpoint.timeout,
            max_retries=endpoint.retries,
            http_client=http,
        )
        yield Judge(endpoint, client, asyncio.Semaphore(endpoint.concurrency))


def _shown(error: "openai.APIStatusError") -> str:
    """An error's body, but not where the endpoint talks about the key."""
    body = "" if error.status_code in (401, 403) else error.response.text
    return f": {body[:BODY_SHOWN]}" if body else ""
