"""Each of OpenCode's system prompts, as the pinned OpenCode really sends it."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from harness.agents.opencode import families

pytestmark = pytest.mark.integration

IDS = {
    "beast": "gpt-4x",
    "codex": "gpt-5-codex",
    "gpt": "gpt-5",
    "gemini": "gemini-3",
    "claude": "claude-x",
    "trinity": "trinity-x",
    "kimi": "kimi-x",
    "default": "qwen-vl",
}


@pytest.mark.parametrize("family", IDS)
async def test_the_system_prompt_of_a_family_is_the_manifests(
    family: str, harness: Callable[..., Awaitable[Any]], only_rollout: Callable[[Path], Any], tmp_path: Path
) -> None:
    done = await harness(
        *("eval", "babyvision", "--demo", "--limit", "1", "--json", "--run", tmp_path / "R"),
        *("--opencode-model-id", IDS[family]),
    )
    assert (done.status, done.summary and done.summary["reward"]) == (0, 1.0), done.said
    run, record = only_rollout(tmp_path / "R")
    assert run.manifest.prompts["system_prompt"] == families.system_prompt(IDS[family])
    assert run.manifest.prompts["system_prompt"]["family"] == family
    assert record.content.flags == ()
