"""The client of the model's endpoint: whole answers, bounded tries, nothing followed and nothing taken from outside."""

import asyncio
import io
import random
import ssl
from types import TracebackType
from typing import Final

import aiohttp
import attrs

from harness.gateway.answer import Answer
from harness.gateway.exchange import Exchange
from harness.gateway.failures import WORDS_MAX, Failure, retry_after
from harness.gateway.policy import Policy
from harness.gateway.record import CANCELLED
from harness.gateway.response import ERROR_MAX, judged
from harness.gateway.settings import GatewaySettings

# So that many sandboxes that failed at once don't come back at once.
_JITTER: Final = 0.25
# The head of a response may take as long as so many silences in all.
_HEAD_STALLS: Final = 2


class Upstream:
    """One endpoint, used by one sandbox; an async context manager."""

    def __init__(self, policy: Policy, settings: GatewaySettings) -> None:
        self._policy = policy
        self._settings = settings
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> "Upstream":
        self._session = aiohttp.ClientSession(
            # A connection a call: one kept for minutes may just be closed from the other side.
            connector=aiohttp.TCPConnector(limit=0, force_close=True, ssl=_trust(self._policy.endpoint)),
            cookie_jar=aiohttp.DummyCookieJar(),
            trust_env=False,  # no proxy and no .netrc from the environment
            timeout=aiohttp.ClientTimeout(
                total=None, sock_connect=self._settings.connect, sock_read=self._settings.stall
            ),
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._session is not None:
            await self._session.close()

    async def complete(
        self, body: bytes, *, stream: bool, exchange: Exchange, attempts: int | None = None
    ) -> Answer | Failure:
        """The complete answer to a request, or why there is none after all tries (``attempts``, else the settings').

        The answer's bytes stand in ``exchange.received``. Can be cancelled at any moment; the exchange then holds what
        is known.
        """
        most = self._settings.attempts if attempts is None else attempts
        tries = 0
        while True:
            tries += 1
            result, asked = await self._try(body, stream=stream, exchange=exchange)
            if isinstance(result, Answer):
                return result
            if not result.again or tries >= most:
                return result
            delay = self._settings.backoff.delay(tries, asked)
            await asyncio.sleep(delay * random.uniform(1 - _JITTER, 1 + _JITTER))  # noqa: S311 - no secret

    async def _try(self, body: bytes, *, stream: bool, exchange: Exchange) -> tuple[Answer | Failure, float | None]:
        exchange.begin_try()
        trouble: str | None = CANCELLED
        try:
            result, asked = await self._send(body, stream=stream, exchange=exchange)
            if isinstance(result, Failure):
                result = attrs.evolve(result, words=self._policy.redact(result.words))
            exchange.failing = isinstance(result, Failure) and result.says_so
            trouble = result.said if isinstance(result, Failure) else None
            return result, asked
        finally:
            exchange.end_try(trouble)

    async def _send(self, body: bytes, *, stream: bool, exchange: Exchange) -> tuple[Answer | Failure, float | None]:
        assert self._session is not None, "used outside of its context"
        asked = None
        try:
            # A head could go on for ever, a byte or an interim response at a time.
            async with asyncio.timeout(_HEAD_STALLS * self._settings.stall):
                response = await self._session.post(
                    self._policy.endpoint, data=io.BytesIO(body), headers=self._headers(stream), allow_redirects=False
                )
            async with response:
                exchange.status = response.status
                exchange.hear()
                asked = retry_after(response.headers.get("Retry-After"))
                limit = self._settings.max_response if response.status == 200 else ERROR_MAX
                async for chunk in response.content.iter_any():
                    exchange.hear(chunk)
                    if len(exchange.received) > limit:
                        break
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            return self._lost(error, exchange), asked
        finally:
            # Before anybody reads it; what was cut or is given up stands in the record as well.
            self._policy.blank(exchange.received)
        return await asyncio.to_thread(self._judge, stream, exchange), asked

    def _headers(self, stream: bool) -> dict[str, str]:
        headers = {
            "Content-Type": "application/json",
            "Accept": "text/event-stream" if stream else "application/json",
            "Accept-Encoding": "identity",
            "User-Agent": "hermetic-harness",
        }
        if self._policy.api_key is not None:
            headers["Authorization"] = f"Bearer {self._policy.api_key.reveal()}"
        return headers

    def _judge(self, stream: bool, exchange: Exchange) -> Answer | Failure:
        data = bytes(exchange.received)
        result = judged(exchange.status, data, stream=stream, most=self._settings.max_response)
        if isinstance(result, Answer) and any(map(self._policy.holds_key, result.texts)):
            # Not in one piece, or it would have been overwritten.
            exchange.received = bytearray()
            result = Failure("refused", 200, "the endpoint put the key into its answer")
        exchange.pack()
        return result

    def _lost(self, error: Exception, exchange: Exchange) -> Failure:
        # The key is taken out first: what is cut off could leave its beginning.
        words = self._policy.redact(_said(error))[:WORDS_MAX]
        status = exchange.status or None
        if isinstance(error, aiohttp.SocketTimeoutError):
            return Failure("silent", status, f"nothing came for {self._settings.stall:g} s")
        if isinstance(error, TimeoutError) and status is None and not isinstance(error, aiohttp.ClientError):
            return Failure("silent", None, f"no response began within {_HEAD_STALLS * self._settings.stall:g} s")
        return (
            Failure("broken", status, f"the response was cut: {words}")
            if status
            else Failure("unreachable", None, words)
        )


def _said(error: Exception) -> str:
    """What was wrong, without bytes that came: they may end within a key, and half a key is not found."""
    if isinstance(error, aiohttp.ClientResponseError | aiohttp.ClientPayloadError):
        return f"what came is no HTTP that can be read ({type(error.__cause__ or error).__name__})"
    return str(error) or type(error).__name__


def _trust(url: str) -> ssl.SSLContext | bool:
    """Whom to trust with TLS: SSL_CERT_FILE or SSL_CERT_DIR, else the pinned certifi bundle that httpx uses.

    The interpreter's own default is a folder of the host, which need not be there.
    """
    if not url.startswith("https:"):
        return True
    import httpx  # only where TLS is used: the import takes a tenth of a second

    return httpx.create_ssl_context()
