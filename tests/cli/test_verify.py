"""harness verify: what it says of a run, and its exit status."""

import json
from pathlib import Path
from typing import Any

import attrs
import pytest

from harness.cli import main
from harness.store.runfolder import RunFolder
from tests.schemas import check
from tests.synthetic import Shape, make


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return make(tmp_path_factory.mktemp("made") / "R", Shape(rollouts=2, tasks=2, calls=1))


def test_a_whole_run_is_whole(made: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["verify", str(made.layout.root), "--json"]) == 0
    said = check("verify", json.loads(capsys.readouterr().out))
    assert (said["problems"], said["rollouts"]) == ([], 2)


@pytest.mark.parametrize("tasks", [["1", "no-task"], [], ["1", "1"]])
def test_a_plan_of_other_tasks_is_named_once(
    made: RunFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str], tasks: list[str]
) -> None:
    manifest = attrs.evolve(made.manifest, plan={**made.manifest.plan, "tasks": tasks})
    run = RunFolder.create(tmp_path / "R", manifest, made.blobs.get(made.manifest.tasks))
    assert main.run(["verify", str(run.layout.root), "--json"]) == 5
    (problem,) = check("verify", json.loads(capsys.readouterr().out))["problems"]
    assert problem.startswith(str(run.layout.manifest))


def test_a_run_of_another_benchmark_is_checked_as_far_as_it_goes(made: RunFolder, tmp_path: Path) -> None:
    other: Any = attrs.evolve(made.manifest, benchmark="chess")
    run = RunFolder.create(tmp_path / "R", other, made.blobs.get(made.manifest.tasks))
    assert main.run(["verify", str(run.layout.root)]) == 0


def test_egress_is_checked_where_it_is_asked_for(made: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(made.layout.root)
    assert main.run(["verify", path, "--egress", "--json"]) == 0
    found = check("verify", json.loads(capsys.readouterr().out))["egress"]
    assert found == {"attempts": 2, "proved": 2, "unproved": 0, "refused": 0, "destinations": 0}
    assert main.run(["verify", path, "--egress"]) == 0
    assert "egress: 2 of 2 attempts proved; 0 packets refused, to 0 destinations" in capsys.readouterr().err


def test_a_forged_proof_fails_the_run_with_path_and_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = make(tmp_path / "R", Shape(rollouts=1, tasks=1, calls=1))
    record = run.rollout(next(iter(run.dones())))
    assert record.observed.egress is not None
    forged = attrs.evolve(record.observed, egress=attrs.evolve(record.observed.egress, allowed=0))
    ref = run.write_attempt(attrs.evolve(record, observed=forged))
    path = run.layout.attempt(ref.task, ref.repeat, ref.name)
    assert main.run(["verify", str(run.layout.root)]) == 0
    capsys.readouterr()
    assert main.run(["verify", str(run.layout.root), "--egress"]) == 5
    said = capsys.readouterr().err
    assert f"{path}: the gateway had 1 calls and refused 0, but 0 packets went to it" in said
