"""Source trees that were handed over to the account: which of them are of no more use."""

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from harness.run import trees

DAY = 86400.0

pytestmark = pytest.mark.integration  # needs git


def floor() -> float:
    return time.time() - DAY


def make(home: Path, name: str = "main-0123abcd", *, days: float = 2) -> Path:
    """A tree as nix/setup/handover makes it, last used so many days ago."""
    tree = home / "trees" / name / "tree"
    (tree / "harness/__pycache__").mkdir(parents=True)
    (tree / "flake.nix").write_text("{}")
    (tree / "harness/__pycache__/x.pyc").write_bytes(b"x")
    (tree / ".cache").write_bytes(b"x")
    git = ["git", "-C", str(tree)]
    subprocess.run([*git, "init", "--quiet"], check=True)
    subprocess.run([*git, "add", "flake.nix"], check=True)
    age(tree.parent, days)
    return tree


def age(folder: Path, days: float = 2) -> None:
    for path in (folder, folder / "tree/.git/index"):
        os.utime(path, (time.time() - days * DAY,) * 2)


def found(home: Path) -> tuple[list[Path], list[str]]:
    leftovers, notes = trees.find(home, floor())
    return [one.path for one in leftovers], notes


def collect(home: Path) -> list[bool]:
    return [trees.remove(one, floor()) for one in trees.find(home, floor())[0]]


def test_an_old_one_goes(tmp_path: Path) -> None:
    tree = make(tmp_path)
    assert found(tmp_path) == ([tree.parent], [])
    assert trees.find(tmp_path, floor())[0][0].size > 0
    assert collect(tmp_path) == [True]
    assert list((tmp_path / "trees").iterdir()) == []


def test_one_that_was_used_lately_stays(tmp_path: Path) -> None:
    make(tmp_path, days=0.5)
    assert found(tmp_path) == ([], [])


def test_one_with_results_stays_and_one_of_them_is_named(tmp_path: Path) -> None:
    tree = make(tmp_path)
    (tree / "runs/R").mkdir(parents=True)
    (tree / "runs/R/manifest.json").write_text("{}")
    age(tree.parent)
    leftovers, (note,) = found(tmp_path)
    assert leftovers == []
    assert note == f"{tree.parent} stays: it holds results that were not brought back, such as runs/R/manifest.json"


def test_one_in_which_a_process_works_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = make(tmp_path)
    monkeypatch.chdir(tree / "harness")
    assert found(tmp_path) == ([], [f"{tree.parent} stays: a process works in it"])


def test_one_that_is_used_again_meanwhile_comes_back(tmp_path: Path) -> None:
    tree = make(tmp_path)
    (going,) = trees.find(tmp_path, floor())[0]
    os.utime(tree.parent)
    assert not trees.remove(going, floor())
    assert (tree / "flake.nix").exists()


def test_what_is_left_of_one_goes(tmp_path: Path) -> None:
    tree = make(tmp_path)
    aside = tree.parent.rename(tmp_path / "trees" / f".{'0' * 16}")
    shutil.rmtree(aside / "tree")
    age_folder = (time.time() - 2 * DAY,) * 2
    os.utime(aside, age_folder)
    assert found(tmp_path) == ([aside], [])
    assert collect(tmp_path) == [True]


def test_nothing_else_is_touched(tmp_path: Path) -> None:
    make(tmp_path, "notes")
    (tmp_path / "trees/file-0123abcd").write_text("x")
    assert found(tmp_path) == ([], [])
    assert found(tmp_path / "nowhere") == ([], [])


def test_without_git_it_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = make(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    leftovers, (note,) = found(tmp_path)
    assert leftovers == []
    assert note.startswith(f"{tree.parent} stays: git can't tell")
