"""Each answer of a judge's endpoint is measured or masked as the table says; none becomes a number by guessing."""

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from harness.gateway.policy import Secret
from harness.grading.grader import Grader
from harness.grading.item import Item
from harness.grading.judge import JudgeEndpoint, connect
from harness.grading.mode import JUDGED
from harness.grading.prompt import JudgeSettings
from harness.grading.score import Score
from harness.grading.scorer import scorer
from harness.store.grades import Grades
from tests.grading.replies import DRIP, HANG, KEY, MODEL_TEXT, REPLIES, Reply

SCORER = scorer(JudgeSettings(), JUDGED)
ITEM = Item(task="1", repeat=0, question="Where?", gold="10,5", answer=MODEL_TEXT, ended="answered")
REWARDS = {"equivalent": 1.0, "different": 0.0, "unsure": 0.0}


@contextlib.asynccontextmanager
async def endpoint(reply: Reply) -> AsyncIterator[str]:
    """Serves the answers as bare bytes, one a connection."""
    answers = list(reply.answers)

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        # A client that has seen enough just goes.
        with contextlib.suppress(ConnectionError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            request = json.loads(await reader.readexactly(int(head.split("content-length: ")[1].split("\r\n")[0])))
            if answer is HANG:
                await reader.read()
            writer.write(answer if isinstance(answer, bytes) else answer(request))
            await writer.drain()
            while answer is DRIP:
                await asyncio.sleep(0.02)
                writer.write(b" ")
                await writer.drain()
        writer.close()

    async with await asyncio.start_server(handle, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"


async def graded(grades: Grades, reply: Reply) -> Score:
    async with endpoint(reply) as url:
        settings = JudgeEndpoint(base_url=url, api_key=Secret(KEY), timeout=reply.timeout, retries=1)
        async with connect(settings) as judge:
            return await Grader(grades, SCORER, judge).grade(ITEM)


def holders(folder: Path, words: str) -> list[Path]:
    return [path for path in folder.rglob("*.json") if words.encode() in path.read_bytes()]


@pytest.mark.parametrize("reply", REPLIES, ids=[reply.name for reply in REPLIES])
async def test_a_reply_is_measured_or_masked(grades: Grades, tmp_path: Path, reply: Reply) -> None:
    began = time.monotonic()
    score = await graded(grades, reply)
    assert time.monotonic() - began < 60
    assert (score.verdict, score.failure_kind) == (reply.verdict, reply.failure)
    assert score.reward == (REWARDS[reply.verdict] if reply.verdict else None)
    assert score.mask_sample is (reply.verdict is None)
    assert reply.shows in (score.reason or score.failure_reason or "")
    # What is kept says the same to whoever grades again without a judge.
    kept = grades.layout.score(SCORER.digest, "1", 0).read_bytes()
    assert await Grader(grades, SCORER, None).grade(ITEM) == score
    assert grades.layout.score(SCORER.digest, "1", 0).read_bytes() == kept
    assert len(kept) < 20_000
    assert not holders(tmp_path, KEY[:9])


def test_the_table_has_each_reply_once() -> None:
    assert len({reply.name for reply in REPLIES}) == len(REPLIES) >= 40
