"""A hostile policy drives the sandbox's shell against the gateway: refused or off the chain, the answer unchanged."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from harness.benchmarks.demo import server
from harness.benchmarks.demo.conversation import Conversation
from harness.benchmarks.demo.policy import Reply
from harness.gateway.answer import read
from harness.store.replay import Replay

pytestmark = pytest.mark.integration

SCRIPT = (Path(__file__).parent / "attacks.py").read_text()
REFUSED = {
    "remote image": 400,
    "hosted tool": 400,
    "file id": 400,
    "five choices": 400,
    "foreign model": 404,
    "stored response": 400,
    "other path": 404,
    "other method": 405,
    "other host's path": 404,
}


class Hostile:
    """Has the attacks run in its first turn and answers after it; the attacks' own calls are told something else."""

    def __init__(self) -> None:
        self.printed: dict[str, Any] = {}
        self._attacked = False

    def __call__(self, talk: Conversation) -> Reply:
        if talk.tool_results:
            self.printed = json.loads(talk.tool_results[0])
            return Reply("It is \\boxed{the answer}.")
        if self._attacked:
            return Reply("It is \\boxed{forged}.")
        self._attacked = True
        command = f"python3 - <<'END'\n{SCRIPT}\nEND"
        return Reply("Now I attack.", ("bash", {"command": command, "description": "Attacks"}))


async def test_attacks_are_refused_or_off_the_chain_and_recorded(
    harness: Callable[..., Awaitable[Any]], only_rollout: Callable[[Path], Any], tmp_path: Path
) -> None:
    policy, received = Hostile(), []
    async with server.serve("m", policy, received) as url:
        arguments = ("--demo", "--limit", "1", "--no-preflight", "--run", tmp_path / "R", "--json")
        done = await harness("eval", "babyvision", *arguments, "--policy-base-url", url, "--policy-model", "m")
    assert done.status == 0, done.said
    assert {name: policy.printed[name] for name in REFUSED} == REFUSED
    assert policy.printed["models"] == 200
    assert "connected" not in (policy.printed["metadata"], policy.printed["other port"])

    run, record = only_rollout(tmp_path / "R")
    content, observed = record.content, record.observed
    assert content.answer == "It is \\boxed{the answer}."
    replay = Replay(record, run.blobs)
    texts = [read(replay.answer(index)).text for index in range(len(content.calls))]
    assert [text for text in texts if "forged" in text] == ["It is \\boxed{forged}."] * 2
    assert len(content.off_chain) == 2
    assert "off-chain-calls" in content.flags
    assert len(received) == len(content.calls) == 4

    assert len(observed.refusals) == len(REFUSED)
    assert {refusal["status"] for refusal in observed.refusals} == {400, 404, 405}
    assert observed.egress.denied > 0
    tried = {(found["address"], found["protocol"], found["port"]) for found in observed.egress.destinations}
    assert {("169.254.169.254", "tcp", 80), ("169.254.1.1", "tcp", 18081)} <= tried

    verified = await harness("verify", tmp_path / "R", "--egress", "--json")
    assert verified.status == 0, verified.said
    assert (verified.summary["egress"]["proved"], verified.summary["egress"]["refused"]) == (1, observed.egress.denied)
