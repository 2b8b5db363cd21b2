"""What a record says about an attempt beyond what was kept of it."""

import json
from pathlib import Path

import attrs
import pytest

from harness.agents.opencode import families, outcomes
from harness.agents.task import Task
from harness.gateway import Answer, Call, Chain
from harness.gateway.bodies import Bodies
from harness.run import recording
from harness.store.blobs import Blobs

PRINTED = "I see [{'type': 'text', 'text': 'How many?'}, {'type': 'image'}] and no image."
CHAIN = Chain((0,), "3", "stop", image_ok=True, off_chain=(1,), flags=("off-chain-calls",))
SYSTEM = "You solve puzzles."


@pytest.fixture(autouse=True)
def _known_system_prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(families, "_DIGESTS", {"default": families.prompt_digest("vlm", SYSTEM)})


def request(system: str) -> bytes:
    return json.dumps({"model": "vlm", "messages": [{"role": "system", "content": system}]}).encode()


def flags(
    tmp_path: Path, *answers: Answer, chain: Chain | None = CHAIN, body: bytes = request(SYSTEM)
) -> tuple[str, ...]:
    bodies = Bodies()
    calls = [
        Call(index=index, request=bodies.add(body), started_ns=1, ended_ns=2, state="answered", answer=answer)
        for index, answer in enumerate(answers)
    ]
    played = recording.Played(started_ns=1, ended_ns=3, outcome=outcomes.of("answered"), calls=calls, chain=chain)
    return recording.write(Blobs(tmp_path), Task("1", "How many?", (), 1.0), 0, played).content.flags


@pytest.mark.parametrize("answer", [Answer(text=PRINTED), Answer(reasoning=PRINTED)])
def test_a_printed_list_of_parts_is_flagged(tmp_path: Path, answer: Answer) -> None:
    assert flags(tmp_path, answer) == ("off-chain-calls", "printed-parts")


def test_what_others_than_the_model_on_the_chain_wrote_is_not(tmp_path: Path) -> None:
    assert flags(tmp_path, Answer(text="3"), Answer(text=PRINTED)) == ("off-chain-calls",)
    assert flags(tmp_path, Answer(text=PRINTED), chain=None) == ()
    assert flags(tmp_path, Answer(text=PRINTED), chain=attrs.evolve(CHAIN, calls=(), flags=())) == ()


@pytest.mark.parametrize("body", [request("You do something else."), b"{}", b"null", b"["])
def test_another_system_prompt_than_the_manifests_is_flagged(tmp_path: Path, body: bytes) -> None:
    assert flags(tmp_path, Answer(text="3"), body=body) == ("off-chain-calls", "system-prompt-differs")
