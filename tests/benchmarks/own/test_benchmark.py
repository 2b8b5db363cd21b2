"""One's own benchmark as it is played: its tasks are checked, and right answers reach no sandbox."""

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.agents import opencode
from harness.benchmarks.demo.conversation import Conversation
from harness.benchmarks.own.benchmark import OwnBenchmark
from harness.errors import UsageError
from harness.store.digests import digest
from tests.benchmarks.babyvision.synthetic import picture
from tests.benchmarks.own.conftest import RULED

Opened = Callable[..., OwnBenchmark]

PNG = picture(1, "PNG")
GOLD = "gold-that-nobody-sees"
PICTURES = f"""
def tasks():
    yield Task(id="one", question="What is it?", gold="{GOLD}", type="small", images=[{PNG!r}, {PNG!r}])

benchmark = Benchmark(name="numbers", tasks=tasks, instruction="Look.", demo=lambda prompt, images: prompt[:4])
"""


def test_the_agent_is_given_instruction_question_and_images(opened: Opened) -> None:
    task = opened(PICTURES).task("one", timeout=60)
    assert task.prompt == "Look.\n\nWhat is it?"
    assert [(image.name, digest(image.data)) for image in task.images] == [
        ("image-1.png", digest(PNG)),
        ("image-2.png", digest(PNG)),
    ]
    assert opened().task("one", timeout=60).images == ()


def test_without_an_instruction_the_question_stands_alone(opened: Opened) -> None:
    assert opened(RULED.replace('instruction="Count.", ', "")).prompt("one") == "What is 1?"


def test_nothing_that_a_sandbox_gets_holds_the_answer(opened: Opened) -> None:
    benchmark = opened(PICTURES)
    task = benchmark.task("one", timeout=60)
    stage = opencode.stage(task, opencode.Settings(32768, 4096), {"task": "one"})
    texts = [*stage.command, *stage.env, *stage.env.values(), *stage.files, *stage.labels, *stage.labels.values()]
    data = [text.encode() for text in texts] + list(stage.files.values())
    assert task.prompt.encode() in data
    assert not [piece for piece in data if GOLD.encode() in piece]
    assert GOLD not in repr(task)
    assert benchmark.gold("one").answer == GOLD
    assert GOLD not in repr(benchmark)


@pytest.mark.parametrize(
    ("tasks", "said"),
    [
        ("return []", "numbers.py: tasks.. gives no task"),
        ("return None", "numbers.py: tasks.. returned None; it must yield or return tasks"),
        ("return 1", "numbers.py, making tasks: TypeError: "),
        (
            "yield Task(id='a', question='q', golden='g')",
            "line 3, making tasks: TypeError: Task has no field 'golden'. Did you mean 'gold'",
        ),
        ("return [1]", "tasks.. gave int; each must be a Task"),
        ("return [Task(id='a', question='q', gold='g')] * 2", "two tasks have the id 'a'"),
        ("yield Task(id='a', question='q', gold='g')\n    1 / 0", "line 4, making tasks: ZeroDivisionError"),
        ("yield Task(id='a', question='q', gold='')", "line 3, making tasks: ValueError: gold is empty"),
        ("yield Task(id='a', question='q', gold='g', images=[b'no'])", "image 1 of task 'a' is no PNG, JPEG"),
    ],
)
def test_what_is_wrong_with_its_tasks(opened: Opened, tasks: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        opened(f"def tasks():\n    {tasks}\nbenchmark = Benchmark(name='numbers', tasks=tasks)\n")


def _talk() -> Conversation:
    return Conversation("Look.", ".", "image", 0, (), (PNG,))


def test_the_scripted_model_says_what_the_file_says(opened: Opened) -> None:
    scripted = opened(PICTURES).scripted
    assert scripted is not None
    assert (scripted(_talk()).text, scripted(_talk()).tool) == ("Look", None)
    assert opened().scripted is None


@pytest.mark.parametrize(
    ("demo", "said"),
    [("1 / 0", "line 6, answering as the demo's model: ZeroDivisionError"), ("7", "demo returned int")],
)
def test_a_scripted_model_that_fails_is_told(opened: Opened, demo: str, said: str) -> None:
    scripted = opened(PICTURES.replace("prompt[:4]", demo)).scripted
    assert scripted is not None
    with pytest.raises(UsageError, match=said):
        scripted(_talk())


def test_an_image_that_was_changed_on_disk_is_not_played(opened: Opened, tmp_path: Path) -> None:
    benchmark = opened(PICTURES)
    (path,) = (tmp_path / "images").iterdir()
    path.write_bytes(b"other")
    with pytest.raises(Exception, match="was changed"):
        benchmark.task("one", timeout=60)
