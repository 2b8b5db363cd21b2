"""Running the real command line as its users do: real namespaces, Podman, nftables and OpenCode."""

import asyncio
import json
import os
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
import pytest

from harness.store.runfolder import RunFolder
from tests.integration.bundles import bundle
from tests.integration.reports import demo_folder, demo_report, demo_run, hostile_report, large_report
from tests.integration.running import command
from tests.schemas import check, schema_of

__all__ = ["bundle", "command", "demo_folder", "demo_report", "demo_run", "hostile_report", "large_report"]


@attrs.frozen
class Finished:
    """What a command came to: exit status, the JSON object on stdout (None where there is none), and stderr."""

    status: int
    summary: Mapping[str, Any] | None
    said: str


Harness = Callable[..., Awaitable[Finished]]


@pytest.fixture(autouse=True)
def _needs_the_closure() -> None:
    for name in ("HARNESS_RUNTIME", "HARNESS_ROOTFS", "HARNESS_PINS"):
        if not os.environ.get(name):
            pytest.skip(f"{name} is not set: run these by `nix run .#tests`")


@pytest.fixture
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of the command: what this process has, without endpoints and keys of the person who tests."""
    named = ("POLICY_", "JUDGE_", "OPENAI_")
    return {name: value for name, value in os.environ.items() if not name.startswith(named)}


@pytest.fixture
def harness(environment: dict[str, str]) -> Harness:
    """Runs one command line to its end, and holds what it prints against the schema of its command."""

    async def run(*arguments: str | Path, env: Mapping[str, str] | None = None) -> Finished:
        process = await asyncio.create_subprocess_exec(
            *command(*arguments),
            env={**environment, **(env or {})},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await process.communicate()
        assert process.returncode is not None
        summary = json.loads(out) if out.strip() else None
        if summary is not None:
            check(schema_of([*map(str, arguments)], summary), summary)
        return Finished(process.returncode, summary, err.decode())

    return run


@pytest.fixture
def start(environment: dict[str, str]) -> Iterator[Callable[..., Awaitable[asyncio.subprocess.Process]]]:
    """Starts a command line that the test ends itself; what is left of it is ended by its process id."""
    started: list[asyncio.subprocess.Process] = []

    async def run(*arguments: str | Path) -> asyncio.subprocess.Process:
        process = await asyncio.create_subprocess_exec(
            *command(*arguments),
            env=environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        started.append(process)
        return process

    yield run
    for process in started:
        if process.returncode is None:
            process.kill()


@pytest.fixture
def only_rollout() -> Callable[[Path], tuple[RunFolder, Any]]:
    """Opens a run folder that holds one rollout."""

    def read(path: Path) -> tuple[RunFolder, Any]:
        run = RunFolder.open(path)
        (done,) = run.dones()
        return run, run.rollout(done)

    return read


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """A folder whose path is short enough for UNIX sockets below it."""
    with tempfile.TemporaryDirectory(prefix="ht-", dir="/var/tmp") as name:
        folder = Path(name)
        folder.chmod(0o711)
        yield folder
