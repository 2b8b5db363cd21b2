"""Run folders of real shape that nobody played, made by the store's own writers: for what reads many rollouts.

A rollout is a talk of some calls: requests that grow, with an image, a system prompt and tools as long as OpenCode's;
streamed answers with tool calls; OpenCode's events, which hold the texts again. There are four calls, as in each
rollout of the demo, and in all of them together the model says about 900 characters: half of the 16 recorded outputs of
the benchmark's own runs are shorter than 950. Every few there is one without an answer, one whose first attempt was
masked, a planned one that never got through, a judge that failed once, and one that said nothing that can be read.
Equal arguments give equal content and equal scores.
"""

import asyncio
import base64
import contextlib
import io
import json
import math
import os
import string
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Final
from unittest import mock

import attrs
from PIL import Image

from harness.benchmarks.babyvision.graded import GradedPuzzles
from harness.benchmarks.babyvision.puzzle import Puzzle, task_set
from harness.grading import rule
from harness.grading.grader import Grader
from harness.grading.prompt import JudgeSettings
from harness.grading.scorer import Scorer
from harness.run import scorers
from harness.run.plan import Item
from harness.run.rescoring.scoring import Scoring
from harness.run.rescoring.shares import shared
from harness.run.results import kept, planned, summary_bytes
from harness.sandbox import limits, ruleset, seccomp
from harness.store import atomic
from harness.store.digests import digest
from harness.store.egress import Egress
from harness.store.manifest import Manifest
from harness.store.observed import Observed
from harness.store.record import AttemptRecord, Content, Outcome, PromptImage
from harness.store.recorder import Recorder
from harness.store.runfolder import RunFolder

START: Final = 1_790_000_000_000_000_000  # nanoseconds since 1970
SYSTEM: Final = "You are a careful agent that works in a sandbox and looks before it speaks. " * 130  # 10 KB
TOOLS: Final = [
    {"type": "function", "function": {"name": f"tool{number}", "description": "It does what it says. " * 80}}
    for number in range(10)
]  # 18 KB
PROMPT: Final = "Begin by looking at the picture: say what it shows, and what the question wants from it. " * 12
WORDS: Final = ("left", "right", "circle", "line", "seven", "blue", "above", "measured", "pixel", "corner", "count")
LETTERS: Final = string.ascii_letters + string.digits
JUDGE: Final = JudgeSettings()
FILTER: Final = seccomp.profile(b'{"defaultAction": "SCMP_ACT_ERRNO", "syscalls": []}')


@attrs.frozen(kw_only=True)
class Shape:
    """How large a run is. ``rollouts`` are dealt out to the tasks; what is left of the last repeat is unfinished."""

    rollouts: int
    tasks: int = 388
    calls: int = 4
    image_bytes: int = 2000

    @property
    def repeats(self) -> int:
        return -(-self.rollouts // self.tasks)


def make(path: Path, shape: Shape) -> RunFolder:
    """Make a run folder with scores and a summary, as `harness eval` leaves one."""
    puzzles = [_puzzle(number, shape) for number in range(1, shape.tasks + 1)]
    benchmark = GradedPuzzles("babyvision", {str(puzzle.task_id): puzzle for puzzle in puzzles})
    tasks = task_set(puzzles)
    manifest = Manifest(
        benchmark=benchmark.name,
        tasks=digest(tasks),
        plan={"tasks": list(benchmark.ids), "repeats": shape.repeats, "demo": False},
        prompts={"instruction": digest(PROMPT.encode())},
        rootfs=digest(b"rootfs"),
        agent={"steps": None},
        model="synthetic",
        sampling={},
        budgets={"timeout": 1800},
        limits={"memory": 8 << 30},
        date="Thu Jan 01 2026",
    )
    with _unflushed():
        run = RunFolder.create(path, manifest, tasks)
        scorer = scorers.scorer_of(benchmark, JUDGE)
        scorers.keep(run, scorer)
        items = planned(run, benchmark)[: shape.rollouts]
        shared(partial(_parts, run, benchmark, scorer, shape), items)
        found = {item: kept(run, benchmark, scorer.digest, item) for item in planned(run, benchmark)}
        atomic.write(path / "summary.json", summary_bytes(run, scorer, run.content_digest(), found))
    return run


@contextlib.contextmanager
def _unflushed() -> Iterator[None]:
    """Nothing is flushed to the disk meanwhile: what is made here may be lost."""
    with mock.patch("os.fsync"):
        yield


def _parts(run: RunFolder, benchmark: GradedPuzzles, scorer: Scorer, shape: Shape, items: Sequence[Item]) -> list[None]:
    grader = Grader(run.grades, scorer, None)

    async def grade() -> None:
        for item in items:
            _attempts(run, shape, item)
            rollout = Scoring(run, benchmark, scorer).rollout(item)
            if rollout is not None:
                about = rule.asked(scorer.judge, rollout)
                for call in _replies(item) if about else ():
                    assert about is not None
                    run.grades.write_judge(about.request, call)
                await grader.grade(rollout)

    asyncio.run(grade())
    return []


def _number(item: Item) -> int:
    return int(item.task) * 1009 + item.repeat


def _puzzle(number: int, shape: Shape) -> Puzzle:
    choice = number % 3 == 0
    return Puzzle(
        task_id=number,
        type=("Spatial Perception", "Visual Tracking", "Fine-grained Discrimination")[number % 3],
        subtype=f"Kind {number % 22}",
        question=f"Puzzle {number}: which of the shapes in the picture is the one that is asked for? " * 4,
        ans_type="choice" if choice else "blank",
        options=tuple(f"the option {index} of puzzle {number}" for index in range(4)) if choice else (),
        gold="B" if choice else f"({number},{number % 7})",
        image=digest(_image(str(number), shape)),
    )


def _image(task: str, shape: Shape) -> bytes:
    """A picture of noise, which no compression makes smaller: a PNG of about so many bytes."""
    side = math.isqrt(shape.image_bytes)
    noise = Image.frombytes("L", (side, side), Random(int(task)).randbytes(side * side))
    noise.save(written := io.BytesIO(), "png", compress_level=0)
    return written.getvalue()


def _attempts(run: RunFolder, shape: Shape, item: Item) -> None:
    number = _number(item)
    if number % 23 == 0:
        run.write_attempt(_record(run, shape, item, masked=True))
    if number % 211 == 0:
        return
    assert run.publish_done(run.write_attempt(_record(run, shape, item, masked=False)))


def _replies(item: Item) -> Iterator[dict[str, Any]]:
    """What the judge said: now and then it failed first, or says what nobody can read."""
    number = _number(item)
    verdict = {
        "verdict": ("equivalent", "different", "equivalent", "unsure")[number % 4],
        "reason": "The texts say so.",
    }
    text = "It is equivalent." if number % 29 == 0 else json.dumps(verdict)
    if number % 31 == 0:
        yield _call(None, "The judge's endpoint answered HTTP 503.")
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    yield _call(
        json.dumps(
            {
                "id": f"chatcmpl-{number:032x}",
                "object": "chat.completion",
                "created": START // 10**9,
                "model": JUDGE.model,
                "choices": [choice],
                "usage": {"prompt_tokens": 900, "completion_tokens": 20, "total_tokens": 920},
            }
        ),
        None,
    )


def _call(body: str | None, failure: str | None) -> dict[str, Any]:
    times = {"started_ns": str(START), "ended_ns": str(START + 10**9)}
    return {"format": 2, "judging": 0, "body": body, "failure": failure, "observed": times}


def _record(run: RunFolder, shape: Shape, item: Item, *, masked: bool) -> AttemptRecord:
    random = Random(f"{item.task}/{item.repeat}/{masked}")
    unanswered = masked or _number(item) % 17 == 0
    recorder = Recorder(run.blobs)
    steps = [_step(random) for _ in range(0 if masked else shape.calls - 1)]
    answer = f"{_prose(random, 75)} \\boxed{{({item.task},{random.randrange(7)})}}"
    bodies = list(_bodies(item, shape, steps, "" if unanswered else answer, random))
    for number, (request, streamed) in enumerate(bodies):
        begun = START + number * 10**10
        recorder.call(
            request=request,
            answer=streamed,
            status=200,
            finish_reason="stop" if number == len(steps) else "tool_calls",
            started_ns=begun,
            ended_ns=begun + 9 * 10**9,
        )
    recorder.artifact("events.jsonl", b"".join(_events(steps, answer, random)))
    recorder.artifact("stderr.log", b"")
    kind = "upstream-failed" if masked else "no-answer" if unanswered else "answered"
    content = Content(
        task=item.task,
        repeat=item.repeat,
        prompt=run.blobs.put(f"{PROMPT}{item.task}".encode()),
        images=(PromptImage("image.png", run.blobs.put(_image(item.task, shape))),),
        calls=recorder.calls,
        chain=tuple(range(len(bodies))),
        answer=None if unanswered else answer,
        finish_reason=None if unanswered else "stop",
        image_ok=True,
        flags=("off-chain-calls",) if _number(item) % 41 == 0 else (),
        outcome=Outcome(kind=kind, masked=masked, failure_kind="provider_unavailable" if masked else None, reason=None),
    )
    return AttemptRecord(content, _observed(run, recorder, len(bodies), os.getpid()))


def _observed(run: RunFolder, recorder: Recorder, calls: int, pid: int) -> Observed:
    egress = Egress(
        ruleset_sha256=run.blobs.put(ruleset.RULES.encode()),
        allowed=900,
        denied=0,
        destinations=(),
        truncated=False,
        counters={**dict.fromkeys(ruleset.COUNTERS, 0), "answers": 800},
    )
    return Observed(
        started_ns=START,
        ended_ns=START + calls * 10**10 + 5 * 10**9,
        host=f"node-{pid}",
        sessions=("ses_synthetic",),
        how="exited",
        exit_code=0,
        reason=None,
        egress=egress,
        seccomp_sha256=run.blobs.put(FILTER),
        limits=limits.held(("cpus", "memory", "pids")),
        dead=("init", "ids", "cgroup"),
        full=(),
        peak_rss=700 << 20,
        artifacts=recorder.artifacts,
        pack=recorder.pack(),
        refusals=(),
        calls=recorder.observed,
    )


@attrs.frozen
class _Step:
    """The model says something, runs a command, and gets its output."""

    call_id: str
    text: str
    command: str
    output: str


def _step(random: Random) -> _Step:
    return _Step(f"call_{random.randbytes(12).hex()}", _prose(random, 25), _prose(random, 60), _prose(random, 120))


def _bodies(
    item: Item, shape: Shape, steps: Sequence[_Step], answer: str, random: Random
) -> Iterator[tuple[bytes, bytes]]:
    """Each request and the answer to it."""
    url = "data:image/png;base64," + base64.b64encode(_image(item.task, shape)).decode()
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": SYSTEM},
        {
            "role": "user",
            "content": [{"type": "text", "text": PROMPT}, {"type": "image_url", "image_url": {"url": url}}],
        },
    ]
    for step in (*steps, None):
        body = {"model": "vlm", "max_tokens": 8192, "messages": messages, "tools": TOOLS, "stream": True}
        yield json.dumps(body, separators=(",", ":")).encode(), _stream(step, answer, random)
        if step is not None:
            called = {
                "id": step.call_id,
                "type": "function",
                "function": {"name": "bash", "arguments": _arguments(step)},
            }
            messages.append({"role": "assistant", "content": step.text, "tool_calls": [called]})
            messages.append({"role": "tool", "tool_call_id": step.call_id, "content": step.output})


def _arguments(step: _Step) -> str:
    return json.dumps({"command": step.command, "description": "Measures the picture"})


def _stream(step: _Step | None, answer: str, random: Random) -> bytes:
    """An answer as an endpoint streams it, a chunk for each word."""
    about = {
        "id": f"chatcmpl-{random.randbytes(16).hex()}",
        "object": "chat.completion.chunk",
        "created": START // 10**9,
        "model": "vlm",
    }
    deltas: list[dict[str, Any]] = [{"content": f"{word} "} for word in (step.text if step else answer).split()]
    if step is not None:
        called = {"index": 0, "id": step.call_id, "type": "function"}
        deltas.append({"tool_calls": [{**called, "function": {"name": "bash", "arguments": ""}}]})
        deltas += [
            {"tool_calls": [{"index": 0, "function": {"arguments": f"{word} "}}]} for word in _arguments(step).split()
        ]
    ends: list[str | None] = [*[None] * len(deltas), "tool_calls" if step else "stop"]
    chunks = [
        {**about, "choices": [{"index": 0, "delta": delta, "finish_reason": end}]}
        for delta, end in zip([*deltas, {}], ends, strict=True)
    ]
    return b"".join(f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks) + b"data: [DONE]\n\n"


def _events(steps: Sequence[_Step], answer: str, random: Random) -> Iterator[bytes]:
    """What OpenCode prints of a talk: the same texts once more, and an id with each."""
    session = _id("ses", random)
    for step in (*steps, None):
        message = _id("msg", random)
        parts: list[dict[str, Any]] = [
            {"type": "step-start"},
            {"type": "text", "text": step.text if step else answer, "time": {"start": START // 10**6}},
        ]
        if step is not None:
            state = {
                "status": "completed",
                "input": {"command": step.command, "description": "Measures the picture"},
                "output": step.output,
                "metadata": {"output": step.output, "exit": 0, "truncated": False},
                "title": step.command,
                "time": {"start": START // 10**6, "end": START // 10**6 + 900},
            }
            parts.append({"type": "tool", "tool": "bash", "callID": step.call_id, "state": state})
        tokens = {"total": random.randrange(10**5), "input": random.randrange(10**5), "output": random.randrange(999)}
        parts.append({"type": "step-finish", "reason": "tool-calls" if step else "stop", "tokens": tokens, "cost": 0})
        for part in parts:
            whole = {"id": _id("prt", random), "messageID": message, "sessionID": session, **part}
            event = {"type": part["type"], "timestamp": START // 10**6, "sessionID": session, "part": whole}
            yield json.dumps(event, separators=(",", ":")).encode() + b"\n"


def _id(kind: str, random: Random) -> str:
    """As OpenCode makes them: a time, which hardly changes, and 14 letters and digits by chance."""
    return f"{kind}_22abd{random.randrange(16**7):07x}{''.join(random.choices(LETTERS, k=14))}"


def _prose(random: Random, words: int) -> str:
    return " ".join(random.choices(WORDS, k=words))
