from pathlib import Path
from typing import Any

import pytest

from harness.benchmarks.babyvision.benchmark import BabyVision
from harness.benchmarks.babyvision.data.dataset import DataSet
from harness.benchmarks.babyvision.puzzle import Puzzle, task_set_digest
from harness.benchmarks.babyvision.rows import Row
from harness.benchmarks.base import Benchmark
from harness.errors import StoreCorruptError, UnknownNameError, UsageError
from harness.store.blobs import Blobs

PNG = b"\x89PNG\r\n\x1a\n first"
BLANK = Row(
    task_id=10,
    type="Fine-grained Discrimination",
    subtype="Find the different",
    image=PNG,
    question="Which one?",
    ans_type="blank",
    blank_ans="secret-gold",
    co_t="secret-solution",
)
CHOICE = Row(
    task_id=9,
    type="Spatial Perception",
    subtype="3D Views",
    image=b"\xff\xd8\xff second",
    question="Which view?",
    ans_type="choice",
    options=("this", "that"),
    choice_ans=1,
)


@pytest.fixture
def data(tmp_path: Path) -> DataSet:
    blobs = Blobs(tmp_path)
    return DataSet.of([Puzzle.of(row, blobs.put(row.image)) for row in (BLANK, CHOICE)], blobs)


@pytest.fixture
def benchmark(data: DataSet) -> Benchmark:
    return BabyVision.of("babyvision", data)


def task_set(*rows: Row) -> str:
    return task_set_digest(map(Puzzle.of, rows))


def test_tasks_come_in_the_order_of_their_numbers(benchmark: Benchmark) -> None:
    assert benchmark.ids == ("9", "10")


def test_a_task_has_the_picture_under_a_neutral_name(benchmark: Benchmark) -> None:
    task = benchmark.task("10", timeout=5)
    assert [(image.name, image.data) for image in task.images] == [("image.png", PNG)]
    assert (task.id, task.timeout) == ("10", 5)


def test_neither_gold_nor_solution_reaches_a_task(benchmark: Benchmark) -> None:
    assert "secret" not in repr(benchmark.task("10", timeout=5))


def test_only_the_instruction_differs_between_the_two_benchmarks(data: DataSet) -> None:
    instructed, bare = BabyVision.of("babyvision", data), BabyVision.of("babyvision-question-only", data)
    assert instructed.instruction
    assert not bare.instruction
    prompt = bare.task("9", timeout=5).prompt
    assert instructed.task("9", timeout=5).prompt == f"{instructed.instruction}\n\n{prompt}"
    assert instructed.digest == bare.digest


def test_an_instruction_of_ones_own_takes_the_place_of_the_benchmarks(data: DataSet) -> None:
    assert BabyVision.of("babyvision", data, "Look.").task("9", timeout=5).prompt.startswith("Look.\n\nWhich view?")


def test_gold_is_for_the_judge(benchmark: Benchmark) -> None:
    gold = benchmark.gold("9")
    assert (gold.question, gold.answer) == ("Which view?\nChoices:\n(A) this\n(B) that", "B")
    assert "secret" not in repr(benchmark.gold("10"))


def test_results_are_grouped_by_type_and_subtype(benchmark: Benchmark) -> None:
    assert benchmark.groups("9") == {"type": "Spatial Perception", "subtype": "3D Views"}


def test_an_unknown_task_is_named_with_those_that_there_are(benchmark: Benchmark) -> None:
    with pytest.raises(UnknownNameError, match=r"no task '100'\. Known: 9, 10\.$"):
        benchmark.task("100", timeout=5)


def test_an_unknown_benchmark_is_named_with_the_nearest_one(data: DataSet) -> None:
    with pytest.raises(UnknownNameError, match="babyvision-question-only"):
        BabyVision.of("babyvision-question", data)


def test_two_rows_of_one_id_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="taskId 10"):
        DataSet.of([Puzzle.of(BLANK), Puzzle.of(BLANK)], Blobs(tmp_path))


def test_an_image_is_read_when_its_task_is_asked_for_and_checked_by_its_digest(
    benchmark: Benchmark, tmp_path: Path
) -> None:
    (tmp_path / Puzzle.of(BLANK).image).write_bytes(PNG.replace(b"first", b"other"))
    with pytest.raises(StoreCorruptError, match=r"image of the task 10 .*harness data add FILE"):
        benchmark.task("10", timeout=5)
    assert benchmark.task("9", timeout=5).images[0].data == CHOICE.image


def test_the_digest_does_not_depend_on_order_or_worked_solutions() -> None:
    other = BLANK.model_copy(update={"co_t": None})
    assert task_set(BLANK, CHOICE) == task_set(CHOICE, other)


@pytest.mark.parametrize(
    "change",
    [
        {"task_id": 11},
        {"type": "Visual Tracking"},
        {"subtype": "Maze"},
        {"image": PNG + b"."},
        {"question": "Which one"},
        {"blank_ans": "gold"},
    ],
)
def test_the_digest_depends_on_all_that_decides_a_result(change: dict[str, Any]) -> None:
    assert task_set(BLANK.model_copy(update=change)) != task_set(BLANK)


@pytest.mark.parametrize("change", [{"options": ("this", "those")}, {"choice_ans": 0}])
def test_the_digest_depends_on_the_options(change: dict[str, Any]) -> None:
    assert task_set(CHOICE.model_copy(update=change)) != task_set(CHOICE)
