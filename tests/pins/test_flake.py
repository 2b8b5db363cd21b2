"""Asking Nix for the flake's source, with a Nix that is made up."""

import json
import sys
from pathlib import Path

import pytest

from harness.errors import HarnessError, HostUnfitError, UsageError
from harness.pins import flake, nix, storepaths

SOURCE = f"/nix/store/{'1' * 32}-source"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What Nix was asked; it answers with a path."""
    calls: list[list[str]] = []

    def ask(argv: list[str]) -> str:
        calls.append(argv)
        return json.dumps({"path": SOURCE}) if "metadata" in argv else SOURCE

    monkeypatch.setattr(nix, "ask", ask)
    return calls


def test_a_folder_is_taken_as_nix_sees_it(tmp_path: Path, asked: list[list[str]]) -> None:
    (tmp_path / "flake.nix").write_text("")
    assert flake.source(tmp_path) == Path(SOURCE)
    assert asked[0][-4:] == ["flake", "metadata", "--json", str(tmp_path)]
    assert "--offline" in asked[0]


def test_a_source_in_the_store_is_what_it_is(
    tmp_path: Path, asked: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storepaths, "STORE", tmp_path)
    (tmp_path / "x-source").mkdir()
    (tmp_path / "x-source/flake.nix").write_text("")
    assert flake.source(tmp_path / "x-source") == tmp_path / "x-source"
    assert asked == []


def test_a_folder_without_a_flake_is_refused(tmp_path: Path, asked: list[list[str]]) -> None:
    with pytest.raises(UsageError, match=r"has no flake\.nix"):
        flake.source(tmp_path)
    assert asked == []


def test_a_package_is_evaluated_and_built(asked: list[list[str]]) -> None:
    assert flake.build(Path(SOURCE), "pins") == Path(SOURCE)
    assert asked[0][-3:] == ["eval", "--raw", f"path:{SOURCE}#packages.x86_64-linux.pins.outPath"]
    assert asked[1][-3:] == ["build", "--no-link", f"path:{SOURCE}#packages.x86_64-linux.pins"]


def test_without_nix_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(HostUnfitError, match="apt-get install --no-install-recommends nix-bin"):
        nix.store("--version")


def test_what_nix_says_of_a_failure_is_passed_on() -> None:
    with pytest.raises(HarnessError, match=r"failed with status 1\. It said:\nAssertionError: no such path"):
        nix.ask([sys.executable, "-I", "-c", "raise SystemExit('AssertionError: no such path')"])
