"""A benchmark as a run folder holds it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.benchmarks.babyvision.benchmark import BabyVision
from harness.benchmarks.babyvision.data.dataset import DataSet
from harness.benchmarks.babyvision.puzzle import Puzzle
from harness.benchmarks.demo import puzzles
from harness.benchmarks.recorded import recorded
from harness.errors import StoreCorruptError, UnknownNameError, UsageError
from harness.store.blobs import Blobs
from harness.store.digests import digest


@pytest.fixture
def played(tmp_path: Path) -> BabyVision:
    """The demo's puzzles, choices and blanks, as they are played."""
    return BabyVision.of("babyvision", DataSet.of(map(Puzzle.of, puzzles.rows(1)), Blobs(tmp_path)))


def test_its_bytes_are_those_that_the_manifest_names(played: BabyVision) -> None:
    assert digest(played.task_set) == played.digest


@pytest.mark.parametrize("name", ["babyvision", "babyvision-question-only"])
def test_all_that_grading_needs_comes_back(played: BabyVision, name: str) -> None:
    found = recorded(name, played.task_set)
    assert (found.name, found.ids) == (name, played.ids)
    assert (found.mode, found.sources) == (played.mode, played.sources)
    for task in played.ids:
        assert found.gold(task) == played.gold(task)
        assert found.groups(task) == played.groups(task)


def test_it_grades_choices_and_blanks(played: BabyVision) -> None:
    kinds = {puzzle.ans_type for puzzle in played.puzzles.values()}
    assert kinds == {"choice", "blank"}


def test_an_unknown_task_is_named(played: BabyVision) -> None:
    with pytest.raises(UnknownNameError, match="no task '100'"):
        recorded("babyvision", played.task_set).gold("100")


def test_an_unknown_benchmark_is_refused() -> None:
    with pytest.raises(UsageError, match=r"'chess'.*can grade babyvision, babyvision-question-only"):
        recorded("chess", b"[]")


def _twice(data: bytes) -> bytes:
    first = data[1 : data.index(b"},{") + 1]
    return b"[" + first + b"," + data[1:]


@pytest.mark.parametrize(
    "damaged",
    [
        lambda data: b"",
        lambda data: b"{}",
        lambda data: data[:-2],
        lambda data: data.replace(b'"ansType":"blank"', b'"ansType":"blanc"', 1),
        lambda data: data.replace(b'"gold":', b'"golt":', 1),
        lambda data: data.replace(b'"taskId":1,', b'"taskId":"1",', 1),
        lambda data: data.replace(b'"taskId":1,', b'"taskId":99,', 1),
        lambda data: data.replace(b",", b", ", 1),
        _twice,
    ],
    ids=["empty", "object", "cut", "kind", "field", "type", "order", "spelling", "twice"],
)
def test_what_is_no_task_set_is_damage(played: BabyVision, damaged: Callable[[bytes], bytes]) -> None:
    data = damaged(played.task_set)
    assert data != played.task_set
    with pytest.raises(StoreCorruptError, match="The run's task set is none of babyvision"):
        recorded("babyvision", data)
