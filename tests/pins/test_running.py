"""What a harness says that it runs on: what its build wrote down, and its own bytes."""

import json
from pathlib import Path
from typing import Any

import pytest

from harness.errors import HostUnfitError
from harness.pins import nar, storepaths
from harness.pins.running import Part, Running, parts, running

BELOW = {"path": "/nix/store/" + "1" * 32 + "-python-3.11.2", "nar_sha256": "a" * 64}


def package(folder: Path, closure: Any) -> Path:
    """A harness over a closure."""
    (folder / "share").mkdir(parents=True)
    (folder / "share/closure.json").write_text(json.dumps(closure))
    (folder / "module.py").write_text("")
    return folder


def test_it_is_its_own_bytes_and_what_it_is_built_over(tmp_path: Path) -> None:
    one = package(tmp_path / "one", [BELOW])
    own = Part(str(one), nar.digest(one))
    assert parts(one) == tuple(sorted([own, Part(**BELOW)]))
    (one / "module.py").write_text("changed = True\n")
    assert own not in parts(one)


@pytest.mark.parametrize(
    "closure",
    [{}, [{"path": "/nix/store/x", "nar_sha256": "a" * 64}], [{**BELOW, "nar_sha256": "a"}], [{**BELOW, "more": 1}]],
)
def test_a_list_that_no_build_writes(tmp_path: Path, closure: Any) -> None:
    with pytest.raises(HostUnfitError, match="is damaged"):
        parts(package(tmp_path / "one", closure))


def test_a_harness_without_a_list(tmp_path: Path) -> None:
    with pytest.raises(HostUnfitError, match=r"is damaged.*Build it again"):
        parts(tmp_path)


def test_a_source_tree_runs_out_of_nothing_that_was_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storepaths, "top", lambda path: tmp_path)
    assert running() == Running(None, ())
    package(tmp_path / "built", [BELOW])
    monkeypatch.setattr(storepaths, "top", lambda path: tmp_path / "built")
    assert running().package == tmp_path / "built"
