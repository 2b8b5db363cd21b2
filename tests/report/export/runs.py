"""A small run folder of every kind of rollout, written by the writers that a run uses."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from harness.agents.opencode import outcomes
from harness.benchmarks.babyvision.puzzle import Puzzle, task_set
from harness.grading.score import JudgeRef, Score
from harness.store.digests import Digest, digest
from harness.store.manifest import Manifest
from harness.store.runfolder import RunFolder
from tests.gateway.bodies import attached, file_parts, text_part, turn
from tests.report.talks import SECOND, START, record, reply

PNG = b"\x89PNG\r\n\x1a\n<the puzzle>"
CROP = b"\x89PNG\r\n\x1a\n<a part of it>"
CROP_URL = "data:image/png;base64,iVBORw0KGgo8YSBwYXJ0IG9mIGl0Pg=="
PROMPT = "How many?\nPut your final answer inside \\boxed{}."
SCORER = digest(b"a scorer")
REQUEST = digest(b"what the judge was asked")
USAGE = {
    "prompt_tokens": 100,
    "completion_tokens": 7,
    "total_tokens": 107,
    "prompt_tokens_details": {"cached_tokens": 64},
    "completion_tokens_details": {"reasoning_tokens": 3},
}
TOOL = {
    "type": "function",
    "function": {"name": "bash", "description": "Runs a command.", "parameters": {"type": "object"}},
}
Exchange = tuple[bytes, bytes]


def request(*later: Mapping[str, Any]) -> bytes:
    """A request as OpenCode sends it: the opening, then what came of it."""
    opening = [
        {"role": "system", "content": "You are an agent."},
        {"role": "user", "content": [*file_parts(PNG), text_part(PROMPT)]},
    ]
    return json.dumps({"model": "vlm", "messages": [*opening, *later], "tools": [TOOL], "stream": True}).encode()


def answered(text: str) -> list[Exchange]:
    """The model answers at once."""
    return [(request(), reply(text, usage=USAGE))]


def looked(text: str) -> list[Exchange]:
    """The model looks at a part of the image, then answers."""
    call = ("call_9", "bash", '{"command":"crop"}')
    later = [*turn("I look closer.", [call], ["Image read successfully"]), attached(CROP)]
    first = reply("I look closer.", call, reasoning="Too small.", usage=USAGE)
    return [(request(), first), (request(*later), reply(text, usage=USAGE))]


def with_ids(text: str, *calls: tuple[str, str, str], prompt: list[int], ids: list[int]) -> bytes:
    """An answer as vLLM gives it with return_token_ids and logprobs."""
    logprobs = {"content": [{"token": "x", "logprob": -0.5 * number} for number in range(len(ids))]}
    return reply(text, *calls, choice={"token_ids": ids, "logprobs": logprobs}, prompt_token_ids=prompt)


def broken_off() -> list[Exchange]:
    """The model asks for a tool, and no more comes of it."""
    return [(request(), reply("", ("call_1", "bash", "{}"), usage=USAGE))]


def manifest(tasks: Sequence[str] = ("7", "8", "9"), repeats: int = 2) -> Manifest:
    """Its manifest."""
    some = digest(b"something")
    return Manifest(
        benchmark="babyvision",
        tasks=digest(tasks_of(tasks)),
        plan={"tasks": list(tasks), "repeats": repeats},
        prompts={"instruction": some},
        rootfs=some,
        agent={"name": "opencode"},
        model="real-name",
        sampling={"temperature": 0.6, "top_k": 20},
        budgets={"timeout": 1800.0, "max_output": 4096},
        limits={"memory_mib": 8192},
        date="Thu Jan 01 2026",
    )


def tasks_of(names: Sequence[str]) -> bytes:
    """The task set: puzzles with the answer ``3``."""
    return task_set(
        Puzzle(
            task_id=int(name),
            type="Counting",
            subtype="Dots",
            question="How many?",
            ans_type="blank",
            options=(),
            gold="3",
            image=digest(PNG),
        )
        for name in names
    )


class Writer:
    """Writes attempts and scores into a new run folder."""

    def __init__(self, path: Path, tasks: Sequence[str] = ("7", "8", "9"), repeats: int = 2) -> None:
        self.run = RunFolder.create(path, manifest(tasks, repeats), tasks_of(tasks))
        self.run.blobs.put(b"a scorer")

    def attempt(
        self,
        task: str,
        repeat: int,
        exchanges: Sequence[Exchange],
        kind: str = "answered",
        reason: str = "",
        **more: Any,
    ) -> None:
        """One attempt; it counts if its outcome is a measurement."""
        number = len(self.run.attempt_names(task, repeat))
        found = record(
            self.run.blobs,
            exchanges,
            task=task,
            repeat=repeat,
            prompt=PROMPT,
            images=(PNG,),
            outcome=outcomes.of(kind, reason),  # type: ignore[arg-type]
            start=START + 100 * number * SECOND,
            **more,
        )
        ref = self.run.write_attempt(found)
        if not ref.masked:
            self.run.publish_done(ref)

    def score(self, task: str, repeat: int, scorer: Digest = SCORER, **fields: Any) -> None:
        """A rollout's score."""
        self.run.grades.write_score(scorer, task, repeat, Score(**fields).to_json())

    def judged(self, task: str, repeat: int, answer: str | None, *, right: bool) -> None:
        """The score of an answer that the judge has graded."""
        self.score(
            task,
            repeat,
            reward=1.0 if right else 0.0,
            verdict="equivalent" if right else "different",
            reason="Both are 3." if right else "Not 3.",
            extracted_answer=answer,
            string_match=right,
            judge=JudgeRef(model="gpt-4o-mini", request=REQUEST, number=0),
        )


def every_kind(path: Path) -> RunFolder:
    """Three tasks, twice: what each rollout comes to stands in its line."""
    made = Writer(path)
    made.attempt("7", 0, [], "upstream-failed", "The endpoint answered HTTP 503: busy")
    made.attempt("7", 0, answered("\\boxed{3}"))  # after a masked attempt: right
    made.judged("7", 0, "3", right=True)
    made.attempt("7", 1, looked("\\boxed{4}"))  # wrong
    made.judged("7", 1, "4", right=False)
    made.attempt("8", 0, broken_off(), "task-timeout", "Still at work after 1800 s.")  # no answer: 0
    made.score(
        "8",
        0,
        reward=0.0,
        reason="There is no final answer: task-timeout.",
        failure_kind="agent_timeout",
        failure_reason="There is no final answer: task-timeout.",
    )
    made.attempt("8", 1, answered("It is 3."))  # the judge failed
    made.score(
        "8",
        1,
        reward=None,
        string_match=False,
        mask_sample=True,
        failure_kind="judge_failed",
        failure_reason="The judge's endpoint answered HTTP 500.",
        judge=JudgeRef(model="gpt-4o-mini", request=REQUEST, number=0),
    )
    made.attempt("9", 0, broken_off(), "upstream-stalled", "The endpoint answered nothing.")  # masked
    return made.run  # 9, 1: never played


def parquet_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a parquet file, times as microseconds since 1970: as Python's own they need a list of time zones."""
    table = pq.read_table(path)
    for place, field in enumerate(table.schema):
        if pa.types.is_timestamp(field.type):
            table = table.set_column(place, field.name, table.column(place).cast(pa.int64()))
    found: list[dict[str, Any]] = table.to_pylist()
    return found
