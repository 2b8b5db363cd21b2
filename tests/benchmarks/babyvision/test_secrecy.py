"""Right answers reach the judge and nobody else; worked solutions reach nobody."""

from pathlib import Path

import attrs
import pytest

from harness.agents import opencode
from harness.benchmarks.babyvision.benchmark import INSTRUCTIONS, BabyVision
from harness.benchmarks.babyvision.data.importing import Expected, add
from harness.benchmarks.babyvision.data.installed import Place
from harness.grading.prompt import JudgeSettings, request
from harness.store.canonical import dumps
from tests.benchmarks.babyvision.synthetic import GOLD, SOLUTION, rows, write_parquet

MARKS = (GOLD, SOLUTION)


@pytest.fixture(scope="module")
def blanks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("blanks")
    made = [row for row in rows() if row["ansType"] == "blank"][:5]
    assert all(GOLD in row["blankAns"] and SOLUTION in row["coT"] for row in made)
    write_parquet(folder / "made.parquet", made)
    add(Place.of(folder), folder / "made.parquet", Expected(structure=None))
    return folder


def benchmark(folder: Path, name: str) -> BabyVision:
    return BabyVision.of(name, Place.of(folder).opened().data)


@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_nothing_that_a_sandbox_gets_holds_an_answer_or_a_solution(blanks: Path, name: str) -> None:
    made = benchmark(blanks, name)
    for task_id in made.ids:
        task = made.task(task_id, timeout=60)
        stage = opencode.stage(task, opencode.Settings(32768, 4096), {"task": task_id})
        texts = [*stage.command, *stage.env, *stage.env.values(), *stage.files, *stage.labels, *stage.labels.values()]
        data = [text.encode() for text in texts] + list(stage.files.values())
        assert task.prompt.encode() in stage.files.values()
        assert task.images[0].data in stage.files.values()
        assert not [piece for piece in data for mark in MARKS if mark.encode() in piece]
        assert not [mark for mark in MARKS if mark in repr(attrs.asdict(task)) or mark in repr(stage)]


def test_the_judge_gets_the_answer_and_no_solution(blanks: Path) -> None:
    made = benchmark(blanks, "babyvision")
    for task_id in made.ids:
        gold = made.gold(task_id)
        asked = dumps(request(JudgeSettings(), gold.question, gold.answer, "x", "I say x.")).decode()
        assert GOLD in asked
        assert SOLUTION not in asked
        assert GOLD not in repr(gold)
