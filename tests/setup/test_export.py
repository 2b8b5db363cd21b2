"""The source tree on its way to the account."""

import os
from collections.abc import Callable
from pathlib import Path

import export
import pytest
from account import Account, HandoverError

pytestmark = pytest.mark.integration  # needs git

Git = Callable[..., str]
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}


def received(checkout: Path, me: Account, target: Path) -> Path:
    export.receive(export.read_tree(checkout, me), target, ENVIRONMENT)
    return target


def test_tracked_files_go_as_they_stand(checkout: Path, me: Account, tmp_path: Path) -> None:
    (checkout / "bin/program").write_text("edited\n")
    (checkout / "notes").write_text("untracked\n")
    tree = received(checkout, me, tmp_path / "tree")
    assert (tree / "bin/program").read_text() == "edited\n"
    assert (tree / "bin/program").stat().st_mode & 0o777 == 0o755
    assert (tree / "flake.nix").stat().st_mode & 0o777 == 0o644
    assert (tree / "link").readlink() == Path("bin/program")
    assert not (tree / "notes").exists()


def test_files_that_are_gone_go_away_and_results_stay(checkout: Path, me: Account, tmp_path: Path) -> None:
    tree = received(checkout, me, tmp_path / "tree")
    (tree / "R").mkdir()
    (checkout / "bin/program").unlink()
    received(checkout, me, tree)
    assert not (tree / "bin").exists()
    assert (tree / "R").is_dir()


def test_nix_is_shown_the_tree_and_not_the_results(checkout: Path, me: Account, git: Git, tmp_path: Path) -> None:
    tree = received(checkout, me, tmp_path / "tree")
    (tree / "R").write_text("")
    (checkout / "new file").write_text("")
    git(checkout, "add", "new file")
    (checkout / "link").unlink()
    received(checkout, me, tree)
    assert git(tree, "ls-files").splitlines() == ["bin/program", "flake.nix", "new file"]


def test_an_unchanged_tree_is_not_written_again(checkout: Path, me: Account, tmp_path: Path) -> None:
    tree = received(checkout, me, tmp_path / "tree")
    before = {path: path.lstat().st_ino for path in tree.rglob("*")}
    received(checkout, me, tree)
    assert {path: path.lstat().st_ino for path in tree.rglob("*")} == before


def test_the_folder_above_has_the_time_of_the_last_call(checkout: Path, me: Account, tmp_path: Path) -> None:
    tree = received(checkout, me, tmp_path / "key/tree")
    os.utime(tree.parent, (1, 1))
    received(checkout, me, tree)
    assert tree.parent.stat().st_mtime > 1


def test_what_stands_in_the_way_is_set_aside(checkout: Path, me: Account, git: Git, tmp_path: Path) -> None:
    tree = received(checkout, me, tmp_path / "tree")
    (tree / "data").write_text("a result")
    (tree / "docs").mkdir()
    (checkout / "data").mkdir()
    (checkout / "data/file").write_text("tracked")
    (checkout / "docs").write_text("tracked")
    git(checkout, "add", "-A")
    received(checkout, me, tree)
    assert (tree / "data/file").read_text() == (tree / "docs").read_text() == "tracked"
    assert (tree / "data.2").read_text() == "a result"
    assert (tree / "docs.2").is_dir()


def test_without_git_everything_goes_that_is_not_the_accounts(tmp_path: Path, me: Account) -> None:
    other = Account("somebody", me.uid + 1, me.gid, me.home)
    (tmp_path / "plain/deep").mkdir(parents=True)
    (tmp_path / "plain/flake.nix").write_text("{ }")
    (tmp_path / "plain/deep/file").write_text("")
    assert [entry.path for entry in export.read_tree(tmp_path / "plain", other)] == ["deep/file", "flake.nix"]
    with pytest.raises(HandoverError, match=r"holds no flake\.nix"):
        export.read_tree(tmp_path / "plain", me)


def test_nothing_that_a_repository_configures_is_run(checkout: Path, me: Account, git: Git, tmp_path: Path) -> None:
    git(checkout, "config", "core.fsmonitor", f"touch '{tmp_path}/ran'; false")
    git(checkout, "status")
    assert (tmp_path / "ran").exists(), "the trap does not work"
    (tmp_path / "ran").unlink()
    export.read_tree(checkout, me)
    assert not (tmp_path / "ran").exists()
