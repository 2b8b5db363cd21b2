"""``harness rescore``: what it prints and how it ends."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run
from tests.schemas import check
from tests.synthetic import Shape, make


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made") / "R"
    make(path, Shape(rollouts=6, tasks=6, calls=1))
    return path


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "R"))


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs a command line: exit status, the object on standard output (None where there is none), standard error."""

    def command(*arguments: str | Path) -> tuple[int, Any, str]:
        capsys.readouterr()
        status = run(["rescore", *map(str, arguments)])
        out, err = capsys.readouterr()
        found = json.loads(out) if out else None
        return status, found and check("rescore-check" if "--check" in arguments else "rescore", found), err

    return command


def test_a_whole_run_scores_again_to_what_it_was(folder: Path, call: Any) -> None:
    summary = json.loads((folder / "summary.json").read_bytes())
    status, report, said = call(folder, "--json")
    assert status == (0 if summary["measured"] == summary["planned"] else 3)
    assert {name: report[name] for name in summary if name != "_sha256"} == {
        name: value for name, value in summary.items() if name != "_sha256"
    }
    assert (report["run"], report["judge"], report["judging"], report["written"]) == (str(folder), "recorded", 0, 0)
    assert report["scorer"] in said


def test_a_check_says_what_is_wrong_and_ends_with_its_own_status(folder: Path, call: Any) -> None:
    status, report, said = call(folder, "--check", "--json")
    assert (status, report["differences"], report["scores"]) == (0, [], 6)
    assert said == f"{folder}: scores and summary are what they should be\n"
    for name in ("1", "2"):
        (folder / "scores" / report["scorer"] / name / "0.json").unlink()
    status, report, said = call(folder, "--check", "--json")
    first = f"scores/{report['scorer']}/1/0.json"
    assert (status, len(report["differences"])) == (5, 2)
    assert report["differences"][0] == {"path": first, "what": "missing"}
    assert said == f"{folder}/{first} is missing\nand 1 more; --json names them all\n"


def test_damage_has_the_status_of_a_failed_check(folder: Path, call: Any) -> None:
    path = next((folder / "judge").rglob("*.json"))
    path.write_bytes(path.read_bytes()[:-1])
    for more in ((), ("--check",)):
        status, report, said = call(folder, *more)
        assert (status, report) == (5, None)
        assert str(path) in said


def test_another_judge_gives_a_table_of_what_moved_and_the_way_back(folder: Path, call: Any) -> None:
    own = json.loads((folder / "summary.json").read_bytes())["scorer"]
    status, _, said = call(folder, "--judge-temperature", "0.5")
    assert status == 3
    assert "task 5, repeat 0: 0 (different) -> masked" in said
    assert f"back to it: --scorer {own[:12]}" in said
    assert call(folder, "--scorer", own[:12])[0] in (0, 3)
    assert call(folder, "--check")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--check", "--judge", "live"], "--check compares"),
        (["--check", "--judge-repeats", "2"], "--check compares"),
        (["--judge", "live", "--judging", "1"], "leave out --judging"),
        (["--judge", "sometimes"], "sometimes"),
        (["--judge", "live"], "judge_base_url is missing"),
        (["--judge-temperature", "hot"], "judge_temperature"),
        (["--policy-model", "m"], "--policy-model"),
        (["--scorer", "zz"], "no scorer"),
    ],
)
def test_what_cannot_be_done_is_refused(
    folder: Path, call: Any, monkeypatch: pytest.MonkeyPatch, arguments: list[str], why: str
) -> None:
    monkeypatch.delenv("JUDGE_BASE_URL", raising=False)
    status, report, said = call(folder, *arguments)
    assert (status, report) == (2, None)
    assert why in said


def test_what_is_no_run_folder_is_refused(tmp_path: Path, call: Any) -> None:
    assert call(tmp_path)[0] == 2


def test_nothing_slow_is_imported_to_score_again(folder: Path) -> None:
    slow = "{'scipy', 'numpy', 'openai', 'pyarrow', 'pydantic', 'aiohttp', 'httpx', 'rich', 'PIL', 'cv2', 'podman'}"
    code = f"from harness.cli.main import run; import sys; s = run(sys.argv[1:]); print(s, {slow} & set(sys.modules))"
    command = [sys.executable, "-c", code, "rescore", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() in ("0 set()", "3 set()")
