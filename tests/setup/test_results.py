"""What moves between the checkout and the work folder, and what doesn't."""

import os
from pathlib import Path

import pytest
from account import Account
from results import Place, bring_back, bring_in

SOURCE = frozenset({".", "docs", "docs/page", "flake.nix"})
FOLDERS = (".", "docs")


class Sides:
    """A checkout and a work folder with the same small source tree in both."""

    def __init__(self, top: Path, account: Account) -> None:
        self.account = account
        self.checkout, self.work = top / "checkout", account.home / "work"
        for folder in (self.checkout, self.work):
            (folder / "docs").mkdir(parents=True)
            (folder / "docs/page").write_text("")
            (folder / "flake.nix").write_text("")

    def bring_in(self, account: Account | None = None) -> None:
        places = Place(self.checkout, ".", SOURCE), Place(self.account.home, "work", SOURCE)
        bring_in(*places, account or self.account, FOLDERS)

    def bring_back(self) -> list[str]:
        places = Place(self.account.home, "work", SOURCE), Place(self.checkout, ".", SOURCE)
        return bring_back(*places, self.account, FOLDERS)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def sides(tmp_path: Path, me: Account) -> Sides:
    return Sides(tmp_path, me)


def test_there_and_back(sides: Sides) -> None:
    (sides.work / "R").mkdir()
    (sides.work / "docs/figure").write_text("in a folder of the tree")
    assert sides.bring_back() == ["R", "docs/figure"]
    assert (sides.checkout / "R").is_dir()
    assert not (sides.work / "R").exists()
    sides.bring_in()
    assert not (sides.checkout / "R").exists()
    assert (sides.work / "docs/figure").read_text() == "in a folder of the tree"


def test_caches_and_hidden_files_are_no_results(sides: Sides) -> None:
    for name in (".git", ".cache", "__pycache__", "docs/.envrc"):
        (sides.work / name).mkdir()
    assert sides.bring_back() == []


def test_what_is_not_the_accounts_never_moves(sides: Sides) -> None:
    somebody = Account("somebody", sides.account.uid + 1, sides.account.gid, sides.account.home)
    (sides.checkout / "notes").write_text("")
    sides.bring_in(somebody)
    assert (sides.checkout / "notes").exists()


def test_a_taken_name_is_not_overwritten(sides: Sides, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("R", "R.2"):
        (sides.checkout / name).write_text("was here")
    (sides.work / "R").write_text("comes")
    assert sides.bring_back() == ["R.3"]
    assert (sides.checkout / "R").read_text() == "was here"
    assert (sides.checkout / "R.3").read_text() == "comes"
    assert "comes back as R.3" in capsys.readouterr().err


def test_a_result_of_an_interrupted_call_is_used_and_the_other_kept(
    sides: Sides, capsys: pytest.CaptureFixture[str]
) -> None:
    (sides.checkout / "R").write_text("in the checkout")
    (sides.work / "R").write_text("left behind")
    sides.bring_in()
    assert (sides.work / "R").read_text() == "left behind"
    assert (sides.checkout / "R").read_text() == "in the checkout"
    assert "stays where it is" in capsys.readouterr().err


def test_a_link_is_moved_and_not_followed(sides: Sides, tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/key").write_text("")
    (sides.work / "R").symlink_to(tmp_path / "secret")
    assert sides.bring_back() == ["R"]
    assert (sides.checkout / "R").readlink() == tmp_path / "secret"
    sides.bring_in()
    assert (sides.work / "R").is_symlink()
    assert (tmp_path / "secret/key").exists()


def test_a_name_cannot_command_the_terminal(sides: Sides, capsys: pytest.CaptureFixture[str]) -> None:
    for folder in (sides.checkout, sides.work):
        (folder / "R\x1b[2J\n").mkdir()
    assert sides.bring_back() == ["R\x1b[2J\n.2"]
    (line,) = capsys.readouterr().err.splitlines()
    assert "\x1b" not in line


def test_a_folder_that_became_a_link_gives_nothing_back(sides: Sides, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/file").write_text("")
    (sides.work / "docs/page").unlink()
    (sides.work / "docs").rmdir()
    (sides.work / "docs").symlink_to(tmp_path / "elsewhere")
    assert sides.bring_back() == []
    assert (tmp_path / "elsewhere/file").exists()


def test_a_work_folder_that_became_a_link_gives_nothing_back(sides: Sides, tmp_path: Path) -> None:
    sides.work.rename(tmp_path / "elsewhere")
    sides.work.symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere/file").write_text("")
    assert sides.bring_back() == []


class TestFoldersThatRootMade:
    """``mkdir runs`` or ``mkdir R`` before the first call."""

    @pytest.fixture
    def sides(self, tmp_path: Path, nobody: Account) -> Sides:
        made = Sides(tmp_path, nobody)
        (made.work / "runs/a").mkdir(parents=True)
        for path in (made.work, made.work / "runs", made.work / "runs/a"):
            os.chown(path, nobody.uid, nobody.gid)
        return made

    def test_results_come_into_them_and_go_out_again(self, sides: Sides) -> None:
        (sides.checkout / "runs/of-root").mkdir(parents=True)
        assert sides.bring_back() == ["runs/a"]
        sides.bring_in()
        assert (sides.work / "runs/a").is_dir()
        assert names(sides.checkout / "runs") == ["of-root"]

    def test_an_empty_one_is_no_clash(self, sides: Sides) -> None:
        (sides.checkout / "runs").mkdir()
        assert sides.bring_back() == ["runs/a"]

    def test_nothing_is_mixed_where_a_name_is_in_both(self, sides: Sides) -> None:
        (sides.checkout / "runs/a").mkdir(parents=True)
        (sides.checkout / "runs/b").mkdir()
        (sides.work / "runs/c").mkdir()
        os.chown(sides.work / "runs/c", sides.account.uid, sides.account.gid)
        assert sides.bring_back() == ["runs.2"]
        assert names(sides.checkout / "runs.2") == ["a", "c"]
