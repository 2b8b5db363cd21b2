"""One sandbox of the self-test, from its making to its report."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import attrs

from harness.sandbox import ruleset, spec
from harness.sandbox.box import Box
from harness.sandbox.host import Host
from harness.sandbox.selftest import staging, standins
from harness.sandbox.values import Ended, Evidence, Stage

#: A sandbox's whole time; its probes take about half a second.
SECONDS = 60.0
#: How long what was sent before its end may take to arrive.
LAST_SECONDS = 2.0
#: Bytes of a report; what files hold in text makes most of it.
LARGEST = 16 << 20


@attrs.frozen(kw_only=True)
class Kind:
    """How a sandbox differs from a rollout's; of the real ones only ``user`` does.

    ``user`` is one of `staging.USERS`; ``places``: what listens in its network.
    """

    user: str = "user"
    altered: spec.Altered = spec.unaltered
    rules: str = ruleset.RULES
    places: tuple[standins.Place, ...] = attrs.field(factory=standins.elsewhere)


@attrs.frozen
class Ran:
    """What a sandbox reported, how it ended, what the outside saw of it, and what stand-ins in its network heard."""

    report: bytes
    ended: Ended
    evidence: Evidence
    heard: tuple[str, ...]


@attrs.frozen
class Ready:
    """A sandbox in which nothing runs yet."""

    box: Box
    heard: list[str]

    async def run(self, seconds: float = SECONDS) -> Ran:
        """To its end, or for so many seconds."""
        kept = bytearray()
        receiving = asyncio.create_task(_receive(self.box, kept))
        try:
            ended = await self.box.run(seconds)
            await asyncio.wait([receiving], timeout=LAST_SECONDS)
        finally:
            receiving.cancel()
        return Ran(bytes(kept), ended, await self.box.evidence(), tuple(self.heard))


@asynccontextmanager
async def made(host: Host, stage: Stage, kind: Kind, mark: str = "") -> AsyncIterator[Ready]:
    """A sandbox by the very code and create call of a rollout, but for what ``kind`` says.

    Args:
        mark: a file of this name stands in each folder that it may write to, for another sandbox to look for.

    Raises:
        SandboxError: it could not be made.
    """

    def altered(asked: dict[str, Any]) -> dict[str, Any]:
        return kind.altered({**asked, "user": staging.USERS[kind.user]})

    async with host.sandbox(stage, altered=altered, rules=kind.rules) as box:
        for folder in box.writable if mark else ():
            (folder / mark).touch()
        with standins.listening(kind.places, box.network_namespace) as heard:
            yield Ready(box, heard)


async def _receive(box: Box, kept: bytearray) -> None:
    """Keeps what comes by the one way out."""
    loop = asyncio.get_running_loop()
    connection, _ = await loop.sock_accept(box.listener)
    with connection, contextlib.suppress(ConnectionError):
        connection.setblocking(False)
        while len(kept) < LARGEST and (data := await loop.sock_recv(connection, 1 << 16)):
            kept.extend(data)
