"""Token entries: a call with ids, log-probabilities and the images that its prompt held."""

import json
from pathlib import Path
from typing import Any

import pytest

from harness.report.export.exporting import Wanted, export
from harness.store.digests import digest
from tests.gateway.bodies import attached, turn
from tests.report.export.runs import CROP, PNG, Writer, request, with_ids
from tests.report.talks import reply

CALL = ("call_9", "bash", "{}")


def entries(tmp_path: Path, first: bytes, second: bytes, **more: Any) -> list[dict[str, Any]]:
    later = [*turn("Look.", [CALL], ["Image read successfully"]), attached(CROP)]
    made = Writer(tmp_path / "R", ("7",), 1)
    made.attempt("7", 0, [(request(), first), (request(*later), second)], **more)
    made.judged("7", 0, "3", right=True)
    export(made.run.layout.root, Wanted(form="gym", out=tmp_path / "gym.jsonl"))
    path = tmp_path / "gym_token_entries.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


FIRST = with_ids("Look.", CALL, prompt=[1, 2], ids=[3, 4])
SECOND = with_ids("3", prompt=[1, 2, 3, 4, 5], ids=[6])


def test_an_entry_for_each_call(tmp_path: Path) -> None:
    first, second = entries(tmp_path, FIRST, SECOND)
    assert first == {
        "schema_version": 1,
        "rollout_id": "0-0",
        "model_call_id": "0-0-call-00000",
        "model": "real-name",
        "prompt_token_ids": [1, 2],
        "generation_token_ids": [3, 4],
        "generation_log_probs": [0.0, -0.5],
        "output_items": [
            {
                "id": "msg_0",
                "type": "message",
                "role": "assistant",
                "status": "completed",
                "content": [{"type": "output_text", "text": "Look.", "annotations": []}],
            },
            {
                "id": "fc_0_0",
                "type": "function_call",
                "call_id": "call_9",
                "name": "bash",
                "arguments": "{}",
                "status": "completed",
            },
        ],
        "token_item_index": 1,
        "created_at": 1790000001.0,
        "images": [digest(PNG)],
        "mask_sample": False,
        "mask_reason": None,
    }
    assert (second["model_call_id"], second["prompt_token_ids"]) == ("0-0-call-00001", [1, 2, 3, 4, 5])
    assert second["images"] == [digest(PNG), digest(CROP)]


def test_a_prompt_that_does_not_go_on_is_another_chain(tmp_path: Path) -> None:
    found = entries(tmp_path, FIRST, with_ids("3", prompt=[1, 2, 9, 4, 5], ids=[6]))
    assert {entry["mask_reason"] for entry in found} == {
        "call 1 doesn't go on from the tokens of call 0: more than one chain"
    }
    assert all(entry["mask_sample"] for entry in found)


def test_a_fork_is_more_than_one_chain(tmp_path: Path) -> None:
    found = entries(tmp_path, FIRST, SECOND, flags=("fork",))
    assert [entry["mask_sample"] for entry in found] == [True, True]


@pytest.mark.parametrize(
    "second", [reply("3"), with_ids("3", prompt=[], ids=[6]), with_ids("3", prompt=[1, 2, 3, 4, 5], ids=[])]
)
def test_calls_without_ids_leave_a_gap(tmp_path: Path, second: bytes) -> None:
    (entry,) = entries(tmp_path, FIRST, second)
    assert (entry["mask_sample"], entry["mask_reason"]) == (True, "1 of 2 calls have no token ids")


def test_without_any_ids_there_is_no_file(tmp_path: Path) -> None:
    assert entries(tmp_path, reply("Look.", CALL), reply("3")) == []


def test_a_reward_is_measured_whatever_its_tokens_are(tmp_path: Path) -> None:
    entries(tmp_path, FIRST, reply("3"))
    (row,) = map(json.loads, (tmp_path / "gym.jsonl").read_text().splitlines())
    assert (row["reward"], row["mask_sample"]) == (1.0, False)
