"""One demo puzzle from the command line to the record."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from harness.benchmarks.demo import server
from harness.sandbox import ruleset
from harness.store import segments
from harness.store.digests import digest
from harness.store.replay import Replay
from harness.store.verify import verify

pytestmark = pytest.mark.integration

DEMO = ("eval", "babyvision", "--demo", "--limit", "1", "--json")


async def test_the_record_holds_what_the_endpoint_received(
    harness: Callable[..., Awaitable[Any]], only_rollout: Callable[[Path], Any], tmp_path: Path
) -> None:
    received: list[server.Received] = []
    async with server.serve_policy(received) as url:
        done = await harness(
            *DEMO,
            "--no-preflight",
            "--run",
            tmp_path / "R",
            "--policy-base-url",
            url,
            "--policy-model",
            server.POLICY_MODEL,
        )
    assert done.status == 0, done.said
    assert (done.summary["planned"], done.summary["measured"], done.summary["reward"]) == (1, 1, 1.0)
    run, record = only_rollout(tmp_path / "R")
    assert verify(run) == []

    (prompt_image,) = record.content.images
    requests = Replay(record, run.blobs).pack.requests
    looked_at = [segment.blob for request in requests for segment in request if _is_image(segment)]
    assert looked_at[0] == prompt_image.blob
    assert [pictures.pictures for pictures in received][-1] == tuple(looked_at)
    assert all(pictures.pictures[0] == prompt_image.blob for pictures in received)
    assert len(looked_at) == 2
    assert _is_cut_out_of(run.blobs.get(looked_at[1]), run.blobs.get(prompt_image.blob))

    egress = record.observed.egress
    assert egress.ruleset_sha256 == ruleset.digest()
    assert egress.allowed > 0
    assert (egress.denied, egress.destinations, egress.truncated) == (0, (), False)
    assert record.content.chain == tuple(range(len(received)))
    assert record.content.image_ok


async def test_equal_runs_have_equal_content_and_a_finished_one_plays_nothing(
    harness: Callable[..., Awaitable[Any]], tmp_path: Path
) -> None:
    first = await harness(*DEMO, "--run", tmp_path / "R1")
    observed = [json.loads(path.read_text()) for path in (tmp_path / "R1" / "observed").iterdir()]
    (vectors,) = [one["selftest"]["vectors"] for one in observed if one["kind"] == "start"]
    assert len(vectors) >= 45
    assert all(vector["held"] for vector in vectors)
    second = await harness(*DEMO, "--run", tmp_path / "R2")
    again = await harness(*DEMO, "--run", tmp_path / "R2")
    assert [done.status for done in (first, second, again)] == [0, 0, 0], first.said + second.said + again.said
    assert first.summary["content_digest"] == second.summary["content_digest"]
    assert [done.summary["new_attempts"] for done in (first, second, again)] == [1, 1, 0]
    assert again.summary["content_digest"] == second.summary["content_digest"]
    assert (tmp_path / "R1/manifest.json").read_bytes() == (tmp_path / "R2/manifest.json").read_bytes()
    assert digest((tmp_path / "R1/manifest.json").read_bytes()) == first.summary["manifest"]


async def test_another_seed_is_another_run(harness: Callable[..., Awaitable[Any]], tmp_path: Path) -> None:
    done = await harness(*DEMO, "--run", tmp_path / "R", "--demo-seed", "7")
    assert (done.status, done.summary["reward"]) == (0, 1.0), done.said
    refused = await harness(*DEMO, "--run", tmp_path / "R", "--demo-seed", "8")
    assert refused.status == 2
    assert "tasks:" in refused.said
    assert refused.summary is None


def _is_image(segment: Any) -> bool:
    return isinstance(segment, segments.Image)


def _is_cut_out_of(part: bytes, whole: bytes) -> bool:
    """Whether a picture is, pixel for pixel, a part of another one."""
    inner, outer = (cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) for data in (part, whole))
    height, width = inner.shape[:2]
    windows = np.lib.stride_tricks.sliding_window_view(outer, (height, width), axis=(0, 1))
    places = windows.shape[:2]
    return any(
        np.array_equal(outer[y : y + height, x : x + width], inner) for y in range(places[0]) for x in range(places[1])
    )
