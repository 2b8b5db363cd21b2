"""Keys that can be found again: endpoints that say them wherever they can, and a search of everything that is left."""

import asyncio
import contextlib
import json
import lzma
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import attrs
import pyarrow.parquet as pq
from aiohttp import web

from harness.benchmarks.demo import conversation, judge
from tests.gateway.scripted import DONE, chunk, stream

# Letters and digits first: no escape of JSON or of an address changes them, and the beginning of a key counts too.
MARKS = {name: f"{name}key7f3a9c21d4" for name in ("policy", "judge")}
KEYS = {name: f"{mark}/+<b>-{name}&end" for name, mark in MARKS.items()}

# What a hostile policy has its shell look for; the mark isn't in the command itself.
_LOOK = """python3 - <<'END'
import os, pathlib, stat
marks = [name.encode() + b'key' + b'7f3a9c21d4' for name in ('policy', 'judge')]
seen = found = 0
for top, folders, files in os.walk('/'):
    folders[:] = [name for name in folders if name not in ('sys', 'usr', 'task', 'map_files')]
    for name in files:
        path = pathlib.Path(top, name)
        try:
            if not stat.S_ISREG(path.stat().st_mode):
                continue
            with path.open('rb') as file:
                data = file.read(1 << 22)
        except OSError:
            continue
        seen += 1
        if any(mark in data for mark in marks):
            found += 1
            print('FOUND', path)
print('looked at', seen > 100, 'found', found)
END"""


@attrs.define
class Echoing:
    """A policy that says its key in every part of an answer; ``asked`` are the bodies that it got.

    With ``split`` its last answers are events of which none holds the whole key.
    """

    split: bool
    asked: list[bytes] = attrs.Factory(list)
    looked: list[str] = attrs.Factory(list)

    async def act(self, request: web.Request) -> web.StreamResponse:
        """The next turn of a talk: a failure, the search, the key in pieces, the key as the answer."""
        raw, key = await request.read(), request.headers["Authorization"].removeprefix("Bearer ")
        if request.method == "GET":
            return web.json_response({"data": [{"id": "m", "max_model_len": 131_072, "owned_by": key, key: key}]})
        self.asked.append(raw)
        headers = {"X-Key": key, "Content-Type": "text/event-stream"}
        results = conversation.read(json.loads(raw)["messages"]).tool_results
        if len(self.asked) == 1 and not self.split:
            error = {"error": {"message": f"no such key: {key}", "code": key}}
            return web.json_response(error, status=500, headers={"X-Key": key}, reason=f"Not {key}")
        if not results:
            command = json.dumps({"command": _LOOK, "description": f"Looks for {key}"})
            said = f"My key is {key}.", [("call_1", "bash", command)]
            return web.Response(body=stream(*said), headers=headers)
        self.looked += results
        if self.split:
            parts = [chunk({"content": key[:9]}), chunk({"content": key[9:]}, "stop"), DONE]
            return web.Response(body=b"".join(parts), headers=headers)
        return web.Response(body=stream(f"It is \\boxed{{{key}}}."), headers=headers)


async def judging(request: web.Request) -> web.StreamResponse:
    """The rule judge, but for the reason, which is its key."""
    key = request.headers["Authorization"].removeprefix("Bearer ")
    verdict = json.loads(judge.reply(conversation.read((await request.json())["messages"])).text)
    message = {"role": "assistant", "content": json.dumps({**verdict, "reason": f"I was given {key}"})}
    body = {"id": key, "model": "j", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    return web.json_response(body, headers={"X-Key": key})


@attrs.define
class Processes:
    """What lists of processes showed: command lines, and the command lines of those whose environment held a key."""

    commands: set[bytes] = attrs.Factory(set)
    holders: set[bytes] = attrs.Factory(set)

    def look(self) -> None:
        """At every process of this machine, once."""
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                self.commands.add((folder / "cmdline").read_bytes())
                command, environment = _steady(folder)  # which only its own user may read
                if holds(environment):
                    self.holders.add(command)

    @classmethod
    @contextlib.asynccontextmanager
    async def watched(cls) -> AsyncIterator["Processes"]:
        """Looks again and again, until the block ends."""
        made = cls()

        async def again() -> None:
            while True:
                await asyncio.to_thread(made.look)
                await asyncio.sleep(0.05)

        task = asyncio.create_task(again())
        try:
            yield made
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task


def _steady(process: Path) -> tuple[bytes, bytes]:
    """The command line and the environment of a process: of one program, also while it starts another or ends."""
    while True:
        command = (process / "cmdline").read_bytes()
        environment = (process / "environ").read_bytes()
        if (process / "cmdline").read_bytes() == command:
            return command, environment


def holds(data: bytes) -> bool:
    """Whether a key, or its beginning, stands in the data."""
    return any(mark.encode() in data for mark in MARKS.values())


def found(top: Path) -> Iterator[Path]:
    """The files below a folder that hold a key in name or content, also in what is compressed."""
    for path in top.rglob("*"):
        if holds(bytes(path)) or (path.is_file() and any(map(holds, _readings(path)))):
            yield path


def _readings(path: Path) -> Iterator[bytes]:
    data = path.read_bytes()
    yield data
    if data.startswith(b"\xfd7zXZ"):
        yield lzma.decompress(data)
    if data.startswith(b"PAR1"):
        yield repr(pq.read_table(path).to_pylist()).encode()
