"""Arguments that the account could not reach are told from all others."""

import os
from pathlib import Path

import arguments
import pytest
from account import Account

MINE = Account("me", os.getuid(), os.getgid(), Path("/nowhere"))
ANOTHER = Account("other", os.getuid() + 1, os.getgid(), Path("/nowhere"))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "flake.nix").write_text("")
    (tmp_path / "R").mkdir()
    (tmp_path / "R/manifest.json").write_text("")
    (tmp_path / "key").write_text("")
    (tmp_path / "empty").mkdir()
    return tmp_path


def said(tree: Path, account: Account, *command: str) -> list[str]:
    return list(arguments.unreachable(command, tree, {".", "flake.nix"}, account))


@pytest.mark.parametrize("argument", ["R", "R/", "./R", "--run=R", "R/manifest.json", "key"])
def test_what_another_user_put_there_does_not_come_along(tree: Path, argument: str) -> None:
    (line,) = said(tree, ANOTHER, "nix", argument)
    assert "chown -R other:" in line
    assert str(tree / os.path.normpath(argument.rpartition("=")[2])) in line


def test_what_the_account_made_comes_along(tree: Path) -> None:
    assert said(tree, MINE, "R", "R/manifest.json", "--run=R", "key") == []


@pytest.mark.parametrize(
    "argument",
    ["new", "flake.nix", ".", ".#eval", "", "-x", "--json", "empty", "empty/R", "/etc/passwd", "a=R", "x\0y", ".."],
)
def test_everything_else_is_left_to_the_command(tree: Path, argument: str) -> None:
    assert said(tree, ANOTHER, "nix", argument) == []


@pytest.mark.parametrize("argument", ["../R", "R/../../R", "--run=../R"])
def test_a_path_outside_of_the_checkout_is_refused(tree: Path, argument: str) -> None:
    (line,) = said(tree, MINE, argument)
    assert "outside of this checkout" in line
