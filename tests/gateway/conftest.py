"""A gateway between a scripted endpoint and a test that plays the sandbox."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import aiohttp
import attrs
import hypothesis
import pytest

from harness.gateway import Backoff, GatewaySettings, Opening, Policy, Secret, Talk, connected, serve
from tests.gateway.bodies import PNG, PROMPT
from tests.gateway.scripted import Act, Endpoint

# The machine may be busy, and the source tree read-only.
hypothesis.settings.register_profile("harness", deadline=None, database=None)
hypothesis.settings.load_profile("harness")

KEY = "sk-very-secret-0123456789"


@attrs.frozen
class Got:
    """A response of the gateway."""

    status: int
    body: bytes
    headers: dict[str, str]

    def json(self) -> Any:
        return json.loads(self.body)


@attrs.frozen
class Sandbox:
    """The sandbox's side of a gateway, and what is on the other."""

    talk: Talk
    endpoint: Endpoint
    address: tuple[str, int]
    stack: AsyncExitStack

    async def post(self, body: bytes, path: str = "/v1/chat/completions", **headers: str) -> Got:
        """POSTs a JSON body."""
        return await self.ask("POST", path, body, **{"Content-Type": "application/json", **headers})

    async def ask(self, method: str, path: str, body: bytes = b"", **headers: str) -> Got:
        """Any request that an ordinary client can make."""
        url = f"http://{self.address[0]}:{self.address[1]}{path}"
        async with (
            aiohttp.ClientSession() as session,
            session.request(method, url, data=body or None, headers=headers) as response,
        ):
            return Got(response.status, await response.read(), dict(response.headers))

    async def raw(self, data: bytes) -> bytes:
        """Sends bytes over a connection of their own and reads to its end."""
        reader, writer = await asyncio.open_connection(*self.address)
        writer.write(data)
        await writer.drain()
        got = await reader.read()
        writer.close()
        return got

    async def end(self) -> None:
        """Ends the talk, as the harness does when the sandbox has ended."""
        await self.stack.aclose()


Gateway = Callable[..., Awaitable[Sandbox]]


async def until(true: Callable[[], object]) -> None:
    """Waits until something is so, for at most ten seconds."""
    async with asyncio.timeout(10):
        while not true():  # noqa: ASYNC110 - the code under test has no event for a test's sake
            await asyncio.sleep(0.01)


def policy(url: str, **more: Any) -> Policy:
    given: dict[str, Any] = {
        "sampling": {},
        "max_output": 1000,
        "context": 8192,
        "api_key": Secret(KEY),
        "model": "real-model",
    }
    return Policy(base_url=url, **{**given, **more})


def listener() -> socket.socket:
    sock = socket.socket()
    sock.bind(("127.0.0.1", 0))
    sock.listen()
    return sock


@pytest.fixture
async def gateway() -> AsyncIterator[Gateway]:
    """Makes a gateway whose endpoint does these acts; settings are given by name."""
    async with AsyncExitStack() as everything:

        async def make(
            *acts: Act, images: tuple[bytes, ...] = (PNG,), sampling: Any = None, **settings: Any
        ) -> Sandbox:
            endpoint = await everything.enter_async_context(Endpoint(acts))
            stack = await everything.enter_async_context(AsyncExitStack())
            sock = listener()
            everything.callback(sock.close)
            chosen = GatewaySettings(**{"backoff": Backoff(first=0.01, most=0.05), "attempts": 3, **settings})
            given = policy(endpoint.url, sampling=sampling or {})
            source = await stack.enter_async_context(connected(given, chosen))
            talk = await stack.enter_async_context(serve(sock, source, Opening(PROMPT, images), chosen))
            return Sandbox(talk, endpoint, sock.getsockname(), stack)

        yield make
