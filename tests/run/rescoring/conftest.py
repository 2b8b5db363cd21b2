"""A run of a few dozen rollouts, and a judge on loopback that answers from a script."""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

import attrs
import pytest
import pytest_asyncio
from aiohttp import web

from harness.run.rescoring.rescore import Rescoring, Wanted
from harness.run.settings.resolve import resolve
from harness.store.runfolder import RunFolder
from tests.synthetic import Shape, make


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run as it was scored when it was played: 40 rollouts of 15 tasks. Not to be changed."""
    path = tmp_path_factory.mktemp("made") / "R"
    make(path, Shape(rollouts=40, tasks=15, calls=2))
    return path


@pytest.fixture
def run(made: Path, tmp_path: Path) -> RunFolder:
    """A copy of it."""
    return RunFolder.open(Path(shutil.copytree(made, tmp_path / "R")))


@pytest.fixture(scope="session")
def rescore() -> Callable[..., dict[str, Any]]:
    """Scores a run again as the command does; ``given`` are settings that a flag names."""

    def call(run: RunFolder, given: Mapping[str, str] | None = None, **wanted: Any) -> dict[str, Any]:
        settings, want = resolve(given or {}, {}, {}), Wanted(**wanted)
        return Rescoring.of(run.layout.root, want, settings).rescore(want, settings, print)

    return call


@pytest.fixture(scope="session")
def check() -> Callable[..., list[tuple[str, str]]]:
    """Checks a run as the command does: path and what is wrong with it."""

    def call(run: RunFolder, given: Mapping[str, str] | None = None, **wanted: Any) -> list[tuple[str, str]]:
        _, found = Rescoring.of(run.layout.root, Wanted(**wanted), resolve(given or {}, {}, {})).check()
        return [(difference.path, difference.what) for difference in found]

    return call


@pytest.fixture(scope="session")
def files() -> Callable[[RunFolder], dict[str, bytes]]:
    """All files of a run by their paths in it."""

    def call(run: RunFolder) -> dict[str, bytes]:
        root = run.layout.root
        return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}

    return call


@attrs.define
class ScriptedJudge:
    """Says ``equivalent`` unless ``says`` has other words (None: HTTP 500) for its next calls; notes the material.

    ``silent_after``: so many calls are answered, and the next one never is.
    """

    url: str = ""
    silent_after: int | None = None
    silent: asyncio.Event = attrs.Factory(asyncio.Event)
    says: list[str | None] = attrs.Factory(list)
    asked: list[str] = attrs.Factory(list)

    async def handle(self, request: web.Request) -> web.Response:
        body = await request.json()
        if len(self.asked) == self.silent_after:
            self.silent.set()
            await asyncio.Event().wait()
        self.asked.append(body["messages"][1]["content"])
        word = self.says.pop(0) if self.says else "equivalent"
        if word is None:
            return web.Response(status=500, text="out of order")
        text = json.dumps({"verdict": word, "reason": "as told"})
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        return web.json_response({"id": "x", "object": "chat.completion", "created": 1, "choices": [choice]})

    @property
    def settings(self) -> dict[str, str]:
        """What asks this judge, one answer after the other, each once."""
        patience = {"judge_attempts": "1", "judge_concurrency": "1", "no_preflight": "true"}
        return {"judge_base_url": self.url, **patience}


@pytest_asyncio.fixture
async def judge() -> AsyncIterator[ScriptedJudge]:
    scripted = ScriptedJudge()
    app = web.Application()
    app.router.add_post("/v1/chat/completions", scripted.handle)
    runner = web.AppRunner(app, shutdown_timeout=1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    scripted.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    yield scripted
    await runner.cleanup()
