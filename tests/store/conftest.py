"""Talks, records and manifests for the tests of the store."""

import base64
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest

from harness.store.blobs import Blobs
from harness.store.digests import Digest, digest
from harness.store.egress import Egress
from harness.store.manifest import Manifest
from harness.store.observed import Observed
from harness.store.record import AttemptRecord, Content, Outcome, PromptImage
from harness.store.recorder import Recorder
from harness.store.runfolder import RunFolder

TASK_SET = b"[]"
LONG_NAME = "a task with a name of " + "many words " * 12
SYSTEM = "You are a careful agent. " * 400
TOOLS = [{"type": "function", "function": {"name": f"tool{n}", "description": "Does it. " * 300}} for n in range(7)]


@attrs.define(slots=False)
class MemoryBlobs:
    """Blobs without a disk, for tests of many small examples."""

    kept: dict[str, bytes] = attrs.Factory(dict)

    def put(self, data: bytes) -> Digest:
        self.kept[digest(data)] = data
        return digest(data)

    def get(self, name: str) -> bytes:
        return self.kept[name]


def png(seed: int, size: int = 3000) -> bytes:
    """Bytes that begin as every PNG does and go on as no other."""
    return b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + random.Random(seed).randbytes(size)


def image_part(data: bytes) -> dict[str, Any]:
    url = "data:image/png;base64," + base64.b64encode(data).decode()
    return {"type": "image_url", "image_url": {"url": url}}


def body(messages: list[dict[str, Any]]) -> bytes:
    """A request as OpenCode writes it: messages first, then the tools, no spaces."""
    value = {"model": "vlm", "max_tokens": 4096, "messages": messages, "tools": TOOLS, "stream": True}
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def growing(steps: int, *, task: str = "How many?", call: str = "call_", every: int = 4) -> Iterator[bytes]:
    """The requests of a talk of some steps; after each ``every`` of them the agent looks at a new image."""
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": [{"type": "text", "text": task}, image_part(png(-1))]},
    ]
    for step in range(steps):
        yield body(messages)
        text = random.Random(step).randbytes(500).hex()
        messages.append({"role": "assistant", "tool_calls": [{"id": f"{call}{step}", "function": {"arguments": "{}"}}]})
        messages.append({"role": "tool", "tool_call_id": f"{call}{step}", "content": text})
        if step % every == every - 1:
            messages.append({"role": "user", "content": [{"type": "text", "text": "Attached"}, image_part(png(step))]})


def stream(step: int, *, answer_id: str, call_id: str, times: Iterator[int]) -> bytes:
    """An answer as an endpoint streams it."""
    deltas = [{"content": f"word {n} "} for n in range(5)]
    deltas.append(
        {"tool_calls": [{"index": 0, "id": call_id, "function": {"name": "bash", "arguments": '{"id":"x"}'}}]}
    )
    lines = []
    for delta in deltas:
        chunk = {
            "id": answer_id,
            "object": "chat.completion.chunk",
            "created": next(times),
            "system_fingerprint": None,
            "choices": [{"index": 0, "delta": delta, "finish_reason": None}],
        }
        lines.append(f"data: {json.dumps(chunk)}\n\n".encode())
    return b"".join(lines) + b"data: [DONE]\n\n"


@pytest.fixture
def blobs(tmp_path: Path) -> Blobs:
    return Blobs(tmp_path / "blobs" / "sha256")


@pytest.fixture
def memory() -> MemoryBlobs:
    return MemoryBlobs()


@pytest.fixture
def manifest() -> Manifest:
    return Manifest(
        benchmark="demo",
        tasks=digest(TASK_SET),
        plan={"tasks": [*map(str, range(40)), LONG_NAME], "repeats": 9},
        prompts={"task": "How many?"},
        rootfs=digest(b"rootfs"),
        agent={"steps": None},
        model="vlm",
        sampling={"temperature": 0.5},
        budgets={"timeout": 1800},
        limits={"memory": 8192},
        date="Thu Jan 01 2026",
    )


@pytest.fixture
def run(tmp_path: Path, manifest: Manifest) -> RunFolder:
    return RunFolder.create(tmp_path / "run", manifest, TASK_SET)


def record_of(
    blobs: Blobs,
    task: str = "1",
    repeat: int = 0,
    *,
    masked: bool = False,
    steps: int = 2,
    run_id: str = "a",
    started_ns: int = 1_767_225_600_000_000_000,
) -> AttemptRecord:
    """A record of a talk; ``run_id`` and the time are what differs between two equal ones."""
    recorder = Recorder(blobs)
    times = iter(range(started_ns // 10**9, started_ns // 10**9 + 1000))
    for step, request in enumerate(growing(steps, call=f"{run_id}-call-", every=1)):
        answer = stream(step, answer_id=f"{run_id}-{step}", call_id=f"{run_id}-call-{step}", times=times)
        recorder.call(
            request=request,
            answer=answer,
            status=200,
            finish_reason="stop",
            started_ns=started_ns + step * 10,
            ended_ns=started_ns + step * 10 + 7,
            tries=[
                {"started_ns": str(started_ns), "ended_ns": str(started_ns + 1), "status": 500, "trouble": "\ud800"}
            ],
        )
    recorder.artifact("events", f"events {run_id}".encode() + image_part(png(-1))["image_url"]["url"].encode() + b'"')
    content = Content(
        task=task,
        repeat=repeat,
        prompt=blobs.put(b"How many?"),
        images=(PromptImage("puzzle.png", blobs.put(png(-1))),),
        calls=recorder.calls,
        chain=tuple(range(steps)),
        answer=r"\boxed{3} \ud800 " + "\ud800",
        finish_reason="stop",
        image_ok=True,
        flags=("b", "a", "b"),
        outcome=Outcome(
            kind="infrastructure" if masked else "answered",
            masked=masked,
            failure_kind="provider_unavailable" if masked else None,
            reason=None,
        ),
    )
    observed = Observed(
        started_ns=started_ns,
        ended_ns=started_ns + 10**10,
        host=f"node-{run_id}",
        sessions=(f"ses_{run_id}",),
        how="exited",
        exit_code=0,
        reason=None,
        egress=Egress(
            ruleset_sha256=digest(b"rules"),
            allowed=5,
            denied=1,
            destinations=({"address": "192.0.2.1", "port": 443},),
            truncated=False,
        ),
        seccomp_sha256=digest(b"filter"),
        limits={"memory": "cgroup"},
        full=("/workspace",),
        peak_rss=700 * 2**20,
        artifacts=recorder.artifacts,
        pack=recorder.pack(),
        refusals=({"path": "/v1/files\udcff", "reason": "not allowed"},),
        calls=recorder.observed,
    )
    return AttemptRecord(content, observed)


@pytest.fixture(scope="session")
def new_memory() -> Callable[[], MemoryBlobs]:
    return MemoryBlobs


@pytest.fixture(scope="session")
def make_record() -> Callable[..., AttemptRecord]:
    return record_of


@pytest.fixture(scope="session")
def make_talk() -> Callable[..., Iterator[bytes]]:
    return growing


@pytest.fixture(scope="session")
def make_stream() -> Callable[..., bytes]:
    return stream


@pytest.fixture(scope="session")
def make_body() -> Callable[..., bytes]:
    return body


@pytest.fixture(scope="session")
def make_png() -> Callable[..., bytes]:
    return png


@pytest.fixture(scope="session")
def make_image_part() -> Callable[..., dict[str, Any]]:
    return image_part
