"""What is called a response is one: the openai package's own type takes it."""

import json
from pathlib import Path

import pytest
from openai.types.responses import Response
from pydantic import ValidationError

from harness.report.export.exporting import Wanted, export
from tests.report.export.runs import Writer, answered, every_kind, request
from tests.report.talks import reply


def responses(root: Path, out: Path) -> list[dict[str, object]]:
    export(root, Wanted(form="gym", out=out / "gym.jsonl"))
    lines = [line for name in ("gym", "gym_failures") for line in (out / f"{name}.jsonl").read_text().splitlines()]
    return [json.loads(line)["response"] for line in lines]


def test_each_response_is_one(tmp_path: Path) -> None:
    found = responses(every_kind(tmp_path / "R").layout.root, tmp_path)
    assert len(found) == 6
    for response in found:
        read = Response.model_validate(response)
        # Nothing was taken for something else: what is read says the same again.
        again = read.model_dump(mode="json", exclude_unset=True, by_alias=True)
        assert {key: again[key] for key in response} == response
        kinds = [type(item).__name__ for item in read.output]
        assert kinds == [KINDS[str(item.type)] for item in read.output]


KINDS = {
    "reasoning": "ResponseReasoningItem",
    "message": "ResponseOutputMessage",
    "function_call": "ResponseFunctionToolCall",
    "function_call_output": "ResponseFunctionToolCallOutputItem",
}


def test_the_type_does_look(tmp_path: Path) -> None:
    response = responses(every_kind(tmp_path / "R").layout.root, tmp_path)[0]
    with pytest.raises(ValidationError):
        Response.model_validate({**response, "output": [{"type": "message", "role": "user", "content": "?"}]})


@pytest.mark.parametrize(
    ("finish", "status", "reason"),
    [("stop", "completed", None), ("length", "incomplete", "max_output_tokens"), ("odd", "incomplete", None)],
)
def test_how_the_last_turn_ended(tmp_path: Path, finish: str, status: str, reason: str | None) -> None:
    made = Writer(tmp_path / "R", ("7",), 1)
    made.attempt("7", 0, [(request(), reply("3", finish=finish))])
    made.judged("7", 0, "3", right=True)
    read = Response.model_validate(responses(made.run.layout.root, tmp_path)[0])
    assert read.status == status
    assert (read.incomplete_details.reason if read.incomplete_details else None) == reason


def test_without_counts_there_is_no_usage(tmp_path: Path) -> None:
    made = Writer(tmp_path / "R", ("7",), 1)
    made.attempt("7", 0, [(request(), reply("3"))])
    made.judged("7", 0, "3", right=True)
    assert responses(made.run.layout.root, tmp_path)[0]["usage"] is None


def test_images_come_before_the_question(tmp_path: Path) -> None:
    made = Writer(tmp_path / "R", ("7",), 1)
    made.attempt("7", 0, answered("3"))
    export(made.run.layout.root, Wanted(form="gym", out=tmp_path / "gym.jsonl"))
    (row,) = map(json.loads, (tmp_path / "gym_materialized_inputs.jsonl").read_text().splitlines())
    (message,) = row["responses_create_params"]["input"]
    assert [part["type"] for part in message["content"]] == ["input_image", "input_text"]
