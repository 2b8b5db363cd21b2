"""What the values of one's own benchmark may be."""

from typing import Any

import pytest

from harness.benchmarks.own.definition import Benchmark, Task

TASK: dict[str, Any] = {"id": "a", "question": "What?", "gold": "this"}


def test_a_task_and_a_benchmark() -> None:
    task = Task(**TASK, images=[b"1", b"2"], type="t", subtype="s")
    assert task.images == (b"1", b"2")
    assert Benchmark(name="a-b_1", tasks=lambda: [task]).grade is None


def test_the_right_answer_is_in_no_text_of_a_task() -> None:
    assert "this" not in repr(Task(**TASK))


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"id": ""}, "id is ''; it must be"),
        ({"id": "a,b"}, "id is 'a,b'"),
        ({"id": ".a"}, "id is '.a'"),
        ({"id": "a\n"}, "id is"),
        ({"id": "a" * 101}, "id is"),
        ({"id": 7}, "id is 7"),
        ({"question": ""}, "question is empty"),
        ({"question": "x" * 100_001}, "question has 100,001 characters"),
        ({"question": "\0"}, "question holds a zero byte"),
        ({"gold": "\ud800"}, "gold holds a zero byte or half a character"),
        ({"gold": 7}, "gold must be text, not int"),
        ({"images": b"png"}, "images must be a list of the bytes"),
        ({"images": ["a.png"]}, "images must be a list of the bytes"),
        ({"images": [b"1"] * 17}, "there are 17 images"),
        ({"subtype": "s"}, "subtype is given without type"),
    ],
)
def test_a_task_of_another_form(given: dict[str, Any], reason: str) -> None:
    with pytest.raises((ValueError, TypeError), match=reason):
        Task(**{**TASK, **given})


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"name": "../x"}, "name is '../x'; it must be"),
        ({"name": "Sums"}, "name is 'Sums'"),
        ({"name": "babyvision"}, "a benchmark of the harness"),
        ({"tasks": []}, "tasks"),
        ({"grade": "exact"}, "grade"),
        ({"demo": 1}, "demo"),
    ],
)
def test_a_benchmark_of_another_form(given: dict[str, Any], reason: str) -> None:
    with pytest.raises((ValueError, TypeError), match=reason):
        Benchmark(**{"name": "a", "tasks": list, **given})
