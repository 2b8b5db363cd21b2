"""Grading while a run still plays."""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from harness.errors import NoSpaceError
from harness.grading.grader import Grader
from harness.grading.judge import Call
from harness.grading.mode import JUDGED
from harness.grading.prompt import JudgeSettings
from harness.grading.scorer import scorer
from harness.run.facts import Facts
from harness.run.grade import Grading
from harness.run.plan import Item
from harness.run.progress import Tally
from harness.run.results import kept
from harness.store.runfolder import RunFolder

NOW = scorer(JudgeSettings(model="j"), JUDGED)
SCORER = NOW.digest
EQUIVALENT = json.dumps(
    {"choices": [{"message": {"content": '{"verdict": "equivalent", "reason": "the same"}'}, "finish_reason": "stop"}]}
)


class FakeJudge:
    """Answers when its gate is open; fails where the question holds the word ``bad``."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.under_way = 0
        self.most = 0

    async def ask(self, request: Mapping[str, Any]) -> Call:
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        await self.gate.wait()
        self.under_way -= 1
        failed = "bad" in json.dumps(request)
        return Call(None if failed else EQUIVALENT, "HTTP 500" if failed else None, 1, 2)


@pytest.fixture
def judge() -> FakeJudge:
    return FakeJudge()


@pytest.fixture
def begin(run: RunFolder, benchmark: Any, judge: FakeJudge) -> Callable[[asyncio.TaskGroup], Grading]:
    def grading(tasks: asyncio.TaskGroup) -> Grading:
        grader = Grader(run.grades, NOW, judge)  # type: ignore[arg-type]
        return Grading(run, benchmark, grader, tasks, Tally(5))

    return grading


async def test_all_that_is_added_is_asked_at_once_and_nobody_waits(
    begin: Callable[..., Grading], judge: FakeJudge, keep: Callable[..., Facts]
) -> None:
    async with asyncio.TaskGroup() as tasks, asyncio.timeout(10):
        grading = begin(tasks)
        for name in "abc":
            grading.add(Item(name, 0), keep(name, f"\\boxed{{{name}}}"))
        while judge.under_way < 3:  # noqa: ASYNC110 - the fake tells nobody
            await asyncio.sleep(0.01)
        judge.gate.set()
    assert judge.most == 3
    assert {item.task: result.reward for item, result in grading.results.items()} == {"a": 1.0, "b": 1.0, "c": 1.0}


async def test_a_rollout_of_an_earlier_call_is_read_from_its_record(
    begin: Callable[..., Grading], judge: FakeJudge, keep: Callable[..., Facts]
) -> None:
    keep("a", "\\boxed{a}")
    judge.gate.set()
    async with asyncio.TaskGroup() as tasks:
        grading = begin(tasks)
        grading.add(Item("a", 0))
    assert grading.results[Item("a", 0)].reward == 1.0


async def test_one_without_an_answer_is_graded_without_the_judge(
    begin: Callable[..., Grading], judge: FakeJudge, keep: Callable[..., Facts]
) -> None:
    async with asyncio.TaskGroup() as tasks:
        grading = begin(tasks)
        grading.add(Item("a", 0), keep("a", "half an ans", kind="output-cap"))
    result = grading.results[Item("a", 0)]
    assert (result.outcome, result.reward, judge.most) == ("output-cap", 0.0, 0)


async def test_a_judge_that_fails_masks_that_rollout_alone(
    begin: Callable[..., Grading], judge: FakeJudge, keep: Callable[..., Facts]
) -> None:
    judge.gate.set()
    async with asyncio.TaskGroup() as tasks:
        grading = begin(tasks)
        grading.add(Item("a", 0), keep("a", "\\boxed{a}"))
        grading.add(Item("bad", 0), keep("bad", "\\boxed{b}"))
    found = {item.task: (result.outcome, result.reward) for item, result in grading.results.items()}
    assert found == {"a": ("answered", 1.0), "bad": ("judge_failed", None)}


async def test_what_is_given_up_is_left_for_another_call(
    run: RunFolder, benchmark: Any, begin: Callable[..., Grading], judge: FakeJudge, keep: Callable[..., Facts]
) -> None:
    async with asyncio.TaskGroup() as tasks, asyncio.timeout(10):
        grading = begin(tasks)
        grading.add(Item("a", 0), keep("a", "\\boxed{a}"))
        await asyncio.sleep(0.05)
        grading.stop()
        await grading.finished()
    assert grading.results == {}
    assert kept(run, benchmark, SCORER, Item("a", 0)).outcome == "not-graded"


async def test_a_full_disk_ends_what_grades_beside_it(
    run: RunFolder, begin: Callable[..., Grading], keep: Callable[..., Facts], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise NoSpaceError("the disk is full")

    monkeypatch.setattr("harness.store.grades.Grades.write_score", full)

    async def grade() -> None:
        async with asyncio.TaskGroup() as tasks:
            grading = begin(tasks)
            grading.add(Item("b", 0), keep("b", "\\boxed{b}"))
            grading.add(Item("a", 0), keep("a", None, kind="no-answer"))
            await grading.finished()

    with pytest.raises(ExceptionGroup) as raised:
        await grade()
    assert [type(error) for error in raised.value.exceptions] == [NoSpaceError]


async def test_the_figures_of_files_are_those_of_grading(
    run: RunFolder, benchmark: Any, begin: Callable[..., Grading], judge: FakeJudge, keep: Callable[..., Facts]
) -> None:
    judge.gate.set()
    items = [Item("a", 0), Item("bad", 0), Item("c", 0)]
    async with asyncio.TaskGroup() as tasks:
        grading = begin(tasks)
        grading.add(items[0], keep("a", "\\boxed{a}"))
        grading.add(items[1], keep("bad", "\\boxed{b}"))
        grading.add(items[2], keep("c", kind="task-timeout"))
    assert [kept(run, benchmark, SCORER, item) for item in items] == [grading.results[item] for item in items]
