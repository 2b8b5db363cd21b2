"""harness verify: what it says of a run, and its exit status."""

import json
from pathlib import Path
from typing import Any

import attrs
import pytest

from harness.cli import main
from harness.store.runfolder import RunFolder
from tests.synthetic import Shape, make


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return make(tmp_path_factory.mktemp("made") / "R", Shape(rollouts=2, tasks=2, calls=1))


def test_a_whole_run_is_whole(made: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["verify", str(made.layout.root), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["problems"], said["rollouts"]) == ([], 2)


@pytest.mark.parametrize("tasks", [["1", "no-task"], [], ["1", "1"]])
def test_a_plan_of_other_tasks_is_named_once(
    made: RunFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str], tasks: list[str]
) -> None:
    manifest = attrs.evolve(made.manifest, plan={**made.manifest.plan, "tasks": tasks})
    run = RunFolder.create(tmp_path / "R", manifest, made.blobs.get(made.manifest.tasks))
    assert main.run(["verify", str(run.layout.root), "--json"]) == 5
    (problem,) = json.loads(capsys.readouterr().out)["problems"]
    assert problem.startswith(str(run.layout.manifest))


def test_a_run_of_another_benchmark_is_checked_as_far_as_it_goes(made: RunFolder, tmp_path: Path) -> None:
    other: Any = attrs.evolve(made.manifest, benchmark="chess")
    run = RunFolder.create(tmp_path / "R", other, made.blobs.get(made.manifest.tasks))
    assert main.run(["verify", str(run.layout.root)]) == 0
