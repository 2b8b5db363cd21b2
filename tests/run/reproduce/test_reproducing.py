"""Reproducing an archive from its check to its report, with a script in the place of the harness that made the run."""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import attrs
import pytest

from harness.cli.main import run as command
from harness.errors import StoreCorruptError, UsageError
from harness.report.reproduced import reproduced
from harness.run.reproduce import finding
from harness.run.reproduce.finding import Found, Means
from harness.run.reproduce.reproducing import Reproduced, reproduce
from harness.store.archive import checking
from harness.store.archive.archiving import archive
from harness.store.archive.checking import Checked
from harness.store.archive.sources import Source
from harness.store.runfolder import RunFolder
from tests.schemas import check

# What it is called with stands in CALLS; a run is made again by copying what is in AGAIN.
SCRIPT = """
import json, shutil, sys
from pathlib import Path
here = Path(__file__).parent
with (here / "calls").open("a") as file:
    file.write(json.dumps(sys.argv[1:]) + "\\n")
if sys.argv[1] == "rescore":
    report = json.loads((here / "rescored").read_text())
    print(json.dumps(report))
    sys.exit(5 if report["differences"] else 0)
shutil.copytree(here / "now", sys.argv[sys.argv.index("--run") + 1], dirs_exist_ok=True)
sys.exit(3)
"""


@attrs.frozen
class World:
    """An archive, and what the harness that made it is going to say."""

    folder: Path

    @property
    def archive(self) -> Path:
        return self.folder / "r.tar"

    def rescored(self, *differences: dict[str, str], scores: int = 6) -> None:
        (self.folder / "rescored").write_text(json.dumps({"scores": scores, "differences": differences}))

    @property
    def calls(self) -> list[list[str]]:
        return [json.loads(line) for line in (self.folder / "calls").read_text().splitlines()]

    def reproduce(self, jobs: int | None = None) -> Reproduced:
        return reproduce(self.archive, self.folder / "to", Means(), jobs, lambda line: None)


@pytest.fixture
def world(there: RunFolder, now: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    archive(there.layout.root, tmp_path / "r.tar")
    shutil.rmtree(there.layout.root)
    (tmp_path / "script.py").write_text(SCRIPT)
    found = Found(None, "store", (sys.executable, "-I", str(tmp_path / "script.py")), 7)
    monkeypatch.setattr(finding, "find", lambda *_: found)
    world = World(tmp_path)
    world.rescored()
    return world


def test_all_is_the_same(world: World, now: RunFolder) -> None:
    done = world.reproduce(jobs=3)
    recorded, again = str(world.folder / "to/recorded"), str(world.folder / "to/again")
    assert world.calls == [
        ["rescore", recorded, "--check", "--json"],
        ["eval", "babyvision", "--policy", f"replay:{recorded}", "--json", "--run", again, "--jobs", "3"],
    ]
    found = check("reproduce", done.to_json())
    count = len(list(now.dones()))
    assert found["rollouts"] == found["scores_again"] == {"identical": count, "of": count}
    assert found["scores"] == {"identical": 6, "of": 6}
    assert found["content_digest"] == found["content_digest_again"] == now.content_digest()
    tasks, repeats = now.manifest.planned
    assert found["unmeasured"] == len(tasks) * repeats - count
    assert found["reproduced"] is True
    assert json.loads((world.folder / "to/report.json").read_bytes()) == found
    lines = list(reproduced(found))
    assert "                7 store paths are what the record says" in lines
    assert lines[-1] == f"reproduced      content digest {now.content_digest()}"


def test_the_same_call_goes_on(world: World) -> None:
    world.reproduce()
    assert world.reproduce().identical


def test_a_score_that_the_record_does_not_give(world: World) -> None:
    wrong = {"path": "scores/S/1/0.json", "what": "differs"}
    world.rescored(wrong, {"path": "scores/S/2/0.json", "what": "missing"}, {"path": "scores/x", "what": "extra"})
    done = world.reproduce()
    assert done.first == "scores/S/1/0.json, computed from the record: differs"
    assert done.to_json()["scores"] == {"identical": 4, "of": 6}
    assert list(reproduced(done.to_json()))[-1].startswith("NOT reproduced  scores/S/1/0.json")


def test_a_run_that_was_never_finished_has_no_summary(world: World) -> None:
    world.rescored({"path": "summary.json", "what": "missing"})
    assert world.reproduce().identical
    world.rescored({"path": "summary.json", "what": "differs"})
    assert world.reproduce().first == "summary.json, computed from the record: differs"


def test_a_rollout_that_departs(world: World, now: RunFolder) -> None:
    done = next(now.dones())
    now.layout.done(done.task, done.repeat).unlink()
    found = world.reproduce()
    assert found.compared.rollouts.identical == found.compared.rollouts.of - 1
    assert str(found.first).startswith(f"task {done.task!r}, repeat {done.repeat}: ")


def test_a_damaged_archive_ends_it_before_anything_runs(world: World) -> None:
    data = bytearray(world.archive.read_bytes())
    data[len(data) // 2] ^= 1
    world.archive.write_bytes(data)
    with pytest.raises(StoreCorruptError, match=r"r\.tar"):
        world.reproduce()
    assert not (world.folder / "calls").exists()


def test_without_a_measurement_there_is_nothing_to_do(world: World, now: RunFolder, tmp_path: Path) -> None:
    shutil.rmtree(now.layout.dones)
    shutil.rmtree(now.layout.scores)
    archive(now.layout.root, tmp_path / "none.tar")
    with pytest.raises(UsageError, match="nothing to reproduce"):
        reproduce(tmp_path / "none.tar", tmp_path / "to", Means(), None, lambda line: None)


@pytest.mark.parametrize(("first", "status"), [(None, 0), ("x", 5)])
def test_the_command_says_it(world: World, capsys: pytest.CaptureFixture[str], first: str | None, status: int) -> None:
    if first:
        world.rescored({"path": "summary.json", "what": "differs"})
    words = ["reproduce", str(world.archive), "--to", str(world.folder / "to"), "--json"]
    assert command(words) == status
    out, err = capsys.readouterr()
    assert json.loads(out)["reproduced"] is (first is None)
    assert f"checking {world.archive}" in err


@pytest.mark.parametrize("name", ["../../out", "/out", "--config", "", "a\nb", "x" * 300])
def test_an_archive_does_not_choose_where_results_go(
    world: World, monkeypatch: pytest.MonkeyPatch, now: RunFolder, name: str
) -> None:
    monkeypatch.setattr(checking, "read", _as_if(name))
    monkeypatch.chdir(world.folder)
    before = sorted(path for path in world.folder.rglob("*"))
    with pytest.raises(StoreCorruptError, match="none is called so"):
        reproduce(world.archive, None, Means(), None, lambda line: None)
    assert sorted(path for path in world.folder.rglob("*")) == before


def _as_if(name: str) -> Callable[[Source], Checked]:
    """What an archive says of itself, with the name of another benchmark."""
    read = checking.read

    def found(source: Source) -> Checked:
        checked = read(source)
        facts = attrs.evolve(checked.artifact.facts, benchmark=name)
        return attrs.evolve(checked, artifact=attrs.evolve(checked.artifact, facts=facts))

    return found


def test_where_results_go_by_themselves(world: World, monkeypatch: pytest.MonkeyPatch, now: RunFolder) -> None:
    monkeypatch.chdir(world.folder)
    done = reproduce(world.archive, None, Means(), None, lambda line: None)
    # As a person would type it: the absolute path can be one that is gone when the command ends.
    assert done.to_json()["folder"] == f"reproductions/babyvision-{now.identity[:8]}"
    assert (world.folder / done.folder / "report.json").is_file()
