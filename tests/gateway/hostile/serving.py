"""Gateways in a process of their own, so that a test can measure what attacks cost it: run by `conftest.Server`.

Reads one JSON object a line and answers each with one: ``open`` makes a sandbox's listener, ``state`` and
``everything`` tell what came of it, ``close`` ends it and tells. What goes wrong beside that is written to stderr,
where nothing must stand.
"""

import asyncio
import json
import socket
import sys
from contextlib import AsyncExitStack
from typing import Any

import attrs

from harness.gateway import Backoff, GatewaySettings, Opening, Policy, Secret, Talk, connected, serve
from harness.run import memory  # as a run does


@attrs.frozen
class Opened:
    """One sandbox's gateway."""

    talk: Talk
    stack: AsyncExitStack

    def state(self) -> dict[str, Any]:
        talk = self.talk
        return {
            "refused": talk.refused,
            "refusals": [[refusal.status, refusal.reason] for refusal in talk.refusals],
            "calls": [call.state for call in talk.calls],
            "failures": [call.failure.kind if call.failure else None for call in talk.calls],
            "received": [len(call.response) for call in talk.calls],
            "exhausted": talk.exhausted,
            "ended": talk.failed.is_set(),
        }

    def everything(self) -> dict[str, Any]:
        """All that a record is made of."""
        talk = self.talk
        bodies = b"".join(call.response + call.request_body for call in talk.calls)
        return {"all": repr((talk.calls, talk.refusals, talk.failure, talk.chain())) + bodies.decode("latin-1")}


async def opened(told: dict[str, Any]) -> tuple[int, Opened]:
    """A new sandbox, whose policy is at the given URL."""
    stack = AsyncExitStack()
    sock = stack.enter_context(socket.socket())
    sock.bind(("127.0.0.1", 0))
    sock.listen(4096)
    settings = GatewaySettings(**{"attempts": 1, "backoff": Backoff(first=0.01), **told["settings"]})
    policy = Policy(
        base_url=told["url"], model="real", sampling={}, max_output=100, context=1000, api_key=Secret(told["key"])
    )
    source = await stack.enter_async_context(connected(policy, settings))
    talk = await stack.enter_async_context(serve(sock, source, Opening("A question\n", ()), settings))
    return sock.getsockname()[1], Opened(talk, stack)


async def main() -> None:
    """Until stdin ends."""
    memory.begin()
    sandboxes: dict[int, Opened] = {}
    while line := await asyncio.to_thread(sys.stdin.readline):
        told = json.loads(line)
        if told["do"] == "open":
            port, sandbox = await opened(told)
            sandboxes[port] = sandbox
            answer: dict[str, Any] = {"port": port}
        elif told["do"] == "close":
            sandbox = sandboxes.pop(told["port"])
            await sandbox.stack.aclose()
            answer = sandbox.state()
            del sandbox
            await asyncio.to_thread(memory.give_back)
        elif told["do"] == "everything":
            answer = sandboxes[told["port"]].everything()
        else:
            answer = sandboxes[told["port"]].state()
        print(json.dumps(answer), flush=True)


asyncio.run(main())
