"""A policy's endpoint on loopback that has a script for each puzzle, which it knows by the picture."""

import asyncio
import itertools
import json
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

import attrs
from aiohttp import web

from harness.benchmarks.demo import conversation, puzzles
from harness.store.digests import digest
from tests.gateway.scripted import Act, chunk, says

MODEL = "scripted"

#: What happens in each turn of the model's: its acts, one a request, the last one for ever.
Script = Sequence[Sequence[Act]]


def uses(command: str) -> Act:
    """A turn that runs a line in the sandbox's shell."""

    async def act(request: web.Request) -> web.StreamResponse:
        arguments = json.dumps({"command": command, "description": "Runs a line", "timeout": 60_000})
        return await says("I run this.", [(f"call_{time.time_ns()}", "bash", arguments)])(request)

    return act


def right(task: str) -> Act:
    """The right answer to a demo puzzle."""
    # Drawn before anybody waits for an answer.
    (gold,) = (row.gold for row in puzzles.rows(1, int(task)) if str(row.task_id) == task)
    return says(f"It is \\boxed{{{gold}}}.")


async def trickles(request: web.Request) -> web.StreamResponse:
    """A model that talks without end."""
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    while True:
        await response.write(chunk({"content": "hm, "}))
        await asyncio.sleep(0.5)


async def hangs_up(request: web.Request) -> web.StreamResponse:
    """Closes the connection without a word, as a server that died does."""
    assert request.transport is not None
    request.transport.close()
    return web.Response()


@attrs.define
class Asked:
    """How often each turn of each puzzle was asked for, and when (`time.monotonic`).

    Requests without a puzzle's picture are counted under the empty name.
    """

    when: dict[tuple[str, int], list[float]] = attrs.field(factory=dict)

    def turns(self, task: str) -> tuple[int, ...]:
        """How many requests each turn of a puzzle took, in all attempts."""
        return tuple(len(times) for (asked, _), times in sorted(self.when.items()) if asked == task)

    def pauses(self, task: str) -> list[float]:
        """Seconds between the requests for a puzzle's first turn."""
        times = self.when[(task, 0)]
        return [after - before for before, after in itertools.pairwise(times)]


@asynccontextmanager
async def serve(scripts: Mapping[str, Script]) -> AsyncIterator[tuple[str, Asked]]:
    """Serves the scripts, by task id; gives the base URL and what was asked. Without a script it says hello."""
    tasks = {digest(row.image): str(row.task_id) for row in puzzles.rows(1, max(map(int, scripts)))}
    asked = Asked()

    async def chat(request: web.Request) -> web.StreamResponse:
        body = await request.json()
        talk = conversation.read(body["messages"])
        task = next((tasks[found] for found in map(digest, talk.pictures) if found in tasks), "")
        times = asked.when.setdefault((task, talk.said), [])
        times.append(time.monotonic())
        turns = scripts.get(task, ())
        acts = turns[talk.said] if talk.said < len(turns) else [says("hello")]
        return await acts[min(len(times), len(acts)) - 1](request)

    async def models(_: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": MODEL, "max_model_len": 65_536}]})

    app = web.Application(client_max_size=1 << 28)
    app.add_routes([web.post("/v1/chat/completions", chat), web.get("/v1/models", models)])
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1", asked
    finally:
        await runner.cleanup()
