"""A run folder from Python: what is read without a process, and what a command does."""

import shutil
from pathlib import Path

import pytest

from harness.api import CheckFailedError, Run, StoreCorruptError, UnknownNameError, UsageError, open_run
from harness.store.digests import digest
from tests.gateway.bodies import PNG
from tests.report.runs import GPT, made
from tests.synthetic import Shape, make


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three tasks: one right, one whose judge failed, one without an answer. Not to be changed."""
    path = tmp_path_factory.mktemp("made") / "R"
    there = made(path)
    there.answered("1", "7", 1.0)
    there.answered("2", "B", None)
    there.unanswered("3", "timeout")
    return path


@pytest.fixture(scope="module")
def run(folder: Path) -> Run:
    return open_run(folder)


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    """A run that a whole evaluation could have left."""
    make(tmp_path / "W", Shape(rollouts=4, tasks=4, calls=2))
    return tmp_path / "W"


def test_its_figures(run: Run) -> None:
    summary = run.summary
    assert (summary.planned, summary.measured, summary.masked) == (3, 2, 1)
    assert (summary.reward, summary.bounds) == (0.5, (1 / 3, 2 / 3))
    assert summary.coverage == pytest.approx(2 / 3)
    assert summary.interval is not None
    assert 0 < summary.interval[0] < 0.5 < summary.interval[1] < 1
    assert summary.outcomes == {"answered": 1, "judge_failed": 1, "timeout": 1}
    assert (summary.benchmark, summary.policy_model, summary.judge_model) == ("babyvision", "m", "gpt-4o-mini")
    assert (summary.scorer, summary.figures["groups"]["type"]["Type 1"]["reward"]) == (GPT.digest, 1.0)


def test_a_masked_rollout_has_no_reward(run: Run) -> None:
    found = {rollout.task: rollout for rollout in run.rollouts()}
    assert [rollout.reward for rollout in found.values()] == [1.0, None, 0.0]
    assert [rollout.outcome for rollout in found.values()] == ["answered", "judge_failed", "timeout"]
    assert (found["1"].answer, found["1"].gold, found["1"].verdict) == ("7", "7", "equivalent")
    assert (found["1"].question, found["1"].groups) == ("What is 1?", {"type": "Type 1", "subtype": "Lines"})
    assert found["1"].content_digest is not None


def test_one_rollout_and_its_talk(run: Run) -> None:
    rollout = run.rollout("1")
    assert [turn.role for turn in rollout.conversation()][-1] == "assistant"
    assert rollout.conversation()[-1].text == "\\boxed{7}"
    assert [(image.sha256, image.data()) for image in rollout.images()] == [(digest(PNG), PNG)]
    assert "gold       7" in rollout.show()


def test_what_is_not_planned_is_refused(run: Run) -> None:
    with pytest.raises(UnknownNameError, match="There is no task '9' in this run"):
        run.rollout("9")
    with pytest.raises(UsageError, match="no 1"):
        run.rollout("1", repeat=1)


def test_it_is_a_table(run: Run, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    table = run.table()
    assert table.column("reward").to_pylist() == [1.0, None, 0.0]
    (path,) = run.export("parquet", tmp_path / "t.parquet")
    assert pq.read_table(path).equals(table)


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        open_run(tmp_path / "none")


def test_a_run_is_rescored_checked_and_carried(whole: Path, tmp_path: Path) -> None:
    run = open_run(whole)
    assert run.verify()["problems"] == []
    again = run.rescore()
    assert again.summary == run.summary
    run.rescore(check=True)
    assert run.archive(tmp_path / "w.oci").is_file()
    assert (run.report(), run.report(force=True)) == (whole / "report.html", whole / "report.html")
    assert run.report(tmp_path / "w.html").read_bytes().startswith(b"<!")
    shutil.copy(whole / "manifest.json", tmp_path / "x.oci")
    with pytest.raises(UsageError, match="is there already"):
        run.archive(tmp_path / "x.oci")


def test_names_that_look_like_options_are_names(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    whole.rename("--json")
    run = open_run("--json")
    assert run.verify()["problems"] == []
    assert run.archive("--force") == Path("--force")
    assert run.report("-r.html").is_file()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["--force", "--json", "-r.html"]


def test_damage_is_an_error_with_its_path(whole: Path) -> None:
    run = open_run(whole).rescore()
    blob = min((whole / "blobs" / "sha256").iterdir())
    data = blob.read_bytes()
    blob.write_bytes(b"other")
    with pytest.raises(CheckFailedError, match=blob.name):
        run.verify()
    blob.write_bytes(data)  # else what comes next could stumble over it
    (whole / "summary.json").write_bytes(b"{}")
    with pytest.raises(CheckFailedError, match=r"summary\.json"):
        run.rescore(check=True)
    (whole / "manifest.json").write_bytes(b"{}")
    with pytest.raises(StoreCorruptError, match=r"manifest\.json"):
        open_run(whole)
