import pytest

from harness.benchmarks.babyvision.benchmark import BabyVision, task_set_digest
from harness.benchmarks.babyvision.rows import Row
from harness.benchmarks.base import Benchmark
from harness.errors import UnknownNameError, UsageError

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


def benchmark(name: str = "babyvision") -> Benchmark:
    return BabyVision.of(name, [BLANK, CHOICE])


def test_tasks_come_in_the_order_of_their_numbers() -> None:
    assert benchmark().ids == ("9", "10")


def test_a_task_has_the_picture_under_a_neutral_name() -> None:
    task = benchmark().task("10", timeout=5)
    assert [(image.name, image.data) for image in task.images] == [("image.png", PNG)]
    assert (task.id, task.timeout) == ("10", 5)


def test_neither_gold_nor_solution_reaches_a_task() -> None:
    assert "secret" not in repr(benchmark().task("10", timeout=5))


def test_only_the_instruction_differs_between_the_two_benchmarks() -> None:
    instructed, bare = benchmark(), benchmark("babyvision-question-only")
    assert instructed.instruction
    assert not bare.instruction
    prompt = bare.task("9", timeout=5).prompt
    assert instructed.task("9", timeout=5).prompt == f"{instructed.instruction}\n\n{prompt}"
    assert instructed.digest == bare.digest


def test_gold_is_for_the_judge() -> None:
    gold = benchmark().gold("9")
    assert (gold.question, gold.answer) == ("Which view?\nChoices:\n(A) this\n(B) that", "B")
    assert "secret" not in repr(benchmark().gold("10"))


def test_results_are_grouped_by_type_and_subtype() -> None:
    assert benchmark().groups("9") == {"type": "Spatial Perception", "subtype": "3D Views"}


def test_an_unknown_task_is_named_with_the_nearest_one() -> None:
    with pytest.raises(UnknownNameError, match=r"no task '100'.*'10'"):
        benchmark().task("100", timeout=5)


def test_an_unknown_benchmark_is_named_with_the_nearest_one() -> None:
    with pytest.raises(UnknownNameError, match="babyvision-question-only"):
        BabyVision.of("babyvision-question", [])


def test_two_rows_of_one_id_are_refused() -> None:
    with pytest.raises(UsageError, match="taskId 10"):
        BabyVision.of("babyvision", [BLANK, BLANK])


def test_the_digest_does_not_depend_on_order_or_worked_solutions() -> None:
    other = BLANK.model_copy(update={"co_t": None})
    assert task_set_digest([BLANK, CHOICE]) == task_set_digest([CHOICE, other])


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
def test_the_digest_depends_on_all_that_decides_a_result(change: dict[str, object]) -> None:
    assert task_set_digest([BLANK.model_copy(update=change)]) != task_set_digest([BLANK])


@pytest.mark.parametrize("change", [{"options": ("this", "those")}, {"choice_ans": 0}])
def test_the_digest_depends_on_the_options(change: dict[str, object]) -> None:
    assert task_set_digest([CHOICE.model_copy(update=change)]) != task_set_digest([CHOICE])
