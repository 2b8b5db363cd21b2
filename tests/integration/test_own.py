"""A benchmark of one's own from its file to its archive and back, and the harness from Python."""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from harness.store.runfolder import RunFolder
from tests.gateway.scripted import Endpoint, says

pytestmark = pytest.mark.integration

Harness = Callable[..., Awaitable[Any]]
EXAMPLES = Path(__file__).parents[2] / "examples"
SUMS = EXAMPLES / "sums.py"

GOLD = "the-answer-that-nobody-sees"
JUDGED = f"""
from harness.api import Benchmark, Task

def tasks():
    yield Task(id="a", question="What is the word?", gold="{GOLD}")

benchmark = Benchmark(name="words", tasks=tasks)
"""


def files(root: Path, *below: str) -> dict[str, bytes]:
    paths = [path for name in below for path in (root / name).rglob("*") if path.is_file()]
    return {str(path.relative_to(root)): path.read_bytes() for path in [*paths, root / "summary.json"]}


async def test_the_example_is_played_graded_again_shown_and_carried(harness: Harness, tmp_path: Path) -> None:
    run, archive = tmp_path / "R", tmp_path / "r.oci"
    chosen = ("--tasks", "words-2,dots-2", "--jobs", "2")
    done = await harness("eval", SUMS, "--demo", *chosen, "--run", run, "--json")
    assert done.status == 0, done.said
    assert (done.summary["benchmark"], done.summary["reward"], done.summary["measured"]) == ("sums", 0.5, 2)
    assert done.summary["groups"]["type"]["pictures"]["reward"] == 0.0

    there = files(run, "scores")
    assert (await harness("rescore", run)).status == 2
    again = await harness("rescore", run, "--benchmark", SUMS, "--check")
    assert again.status == 0, again.said
    (run / "summary.json").unlink()
    assert (await harness("rescore", run, "--benchmark", SUMS)).status == 0
    assert files(run, "scores") == there

    shown = await harness("show", run, "dots-2", "--json")
    assert (shown.summary["reward"], shown.summary["extracted_answer"], shown.summary["gold"]) == (0.0, "5", "7")
    assert (await harness("verify", run, "--egress")).status == 0

    assert (await harness("archive", run, archive)).status == 0
    assert (await harness("import", archive, tmp_path / "I")).status == 0
    assert files(tmp_path / "I", "scores") == there
    without = await harness("reproduce", archive, "--this-harness", "--to", tmp_path / "N")
    assert (without.status, "Name that file: --benchmark FILE" in without.said) == (2, True)
    report = await harness(
        *("reproduce", archive, "--this-harness", "--benchmark", SUMS, "--to", tmp_path / "P", "--jobs", "2", "--json")
    )
    assert report.status == 0, report.said
    assert report.summary["reproduced"] is True
    assert report.summary["rollouts"] == {"identical": 2, "of": 2}


async def test_the_right_answer_reaches_the_judge_and_no_endpoint_of_the_policy(
    harness: Harness, tmp_path: Path
) -> None:
    (tmp_path / "own.py").write_text(JUDGED)
    async with Endpoint([says(f"It is \\boxed{{{GOLD[::-1]}}}.")]) as endpoint:
        done = await harness(
            *("eval", tmp_path / "own.py", "--demo", "--run", tmp_path / "R", "--no-preflight", "--json"),
            *("--policy-base-url", endpoint.url, "--policy-model", "m", "--context", "32768"),
        )
    assert done.status == 0, done.said
    assert (done.summary["judge_model"], done.summary["reward"]) == ("demo-judge", 0.0)
    assert [asked for asked in endpoint.asked if b"What is the word?" in asked.raw] != []
    assert [asked for asked in endpoint.asked if GOLD.encode() in asked.raw] == []
    run = RunFolder.open(tmp_path / "R")
    assert [path for path in run.layout.judge.rglob("*.json") if GOLD in path.read_text()] != []


async def test_an_error_in_the_rule_is_told_and_the_same_command_goes_on(harness: Harness, tmp_path: Path) -> None:
    own, run = tmp_path / "own.py", tmp_path / "R"
    rule = "\ndef grade(text, gold):\n    return {}\n" + JUDGED.replace("tasks=tasks", "tasks=tasks, grade=grade")
    own.write_text(rule.format("int(text)"))
    own.write_text(own.read_text().replace("tasks=tasks", "tasks=tasks, demo=lambda *_: 'seven'"))
    first = await harness("eval", own, "--demo", "--run", run, "--json")
    assert first.status == 2
    assert f"{own}, line 3, grading task 'a': ValueError: invalid literal" in first.said
    assert "Traceback" not in first.said
    own.write_text(own.read_text().replace("int(text)", "float(text == 'seven')"))
    done = await harness("eval", own, "--demo", "--run", run, "--json")
    assert (done.status, done.summary["reward"], done.summary["new_attempts"]) == (0, 1.0, 0)


async def test_an_error_in_the_demo_ends_the_run_at_once(harness: Harness, tmp_path: Path) -> None:
    own, run = tmp_path / "own.py", tmp_path / "R"
    rule = "\ndef grade(text, gold):\n    return 1\n" + JUDGED
    own.write_text(rule.replace("tasks=tasks", "tasks=tasks, grade=grade, demo=lambda *_: seven"))
    first = await harness("eval", own, "--demo", "--run", run, "--json")
    assert first.status == 2
    assert f"{own}, line 10, answering as the demo's model: NameError: name 'seven' is not defined. Mend" in first.said
    assert "upstream-refused" not in first.said
    own.write_text(own.read_text().replace("seven", "'seven'"))
    done = await harness("eval", own, "--demo", "--run", run, "--json")
    assert (done.status, done.summary["reward"], done.summary["attempts"]) == (0, 1.0, 1)


async def test_ten_lines_of_python_run_it_and_read_it(environment: Mapping[str, str], tmp_path: Path) -> None:
    script = EXAMPLES / "ten_lines.py"
    assert len([line for line in script.read_text().splitlines() if line and not line.startswith('"""')]) <= 10
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", script, tmp_path / "R"),
        env={**environment, "PYTHONDONTWRITEBYTECODE": "1"},
        cwd=os.fspath(tmp_path),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    *_, figures, first, second, egress = out.decode().splitlines()
    assert figures.startswith("1.0 in (0.34")
    assert first.startswith("1 answered 1.0 ")
    assert second.startswith("2 answered 1.0 ")
    assert "'proved': 2" in egress
