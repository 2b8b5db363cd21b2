"""pins/update, wheels: sets on sets, one version for all, nothing but PyPI."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fetching.problems import WrongBytesError
from resolving import wheels
from resolving.wanted import WantedSet

if TYPE_CHECKING:
    from resolving.entries import Entries

Install = Callable[[str, str], Path]


@pytest.fixture
def pip(path: Path, monkeypatch: pytest.MonkeyPatch, install_fake: Install) -> None:
    install_fake("resolving_pip.py", "pip3")
    registry = {
        "rich": {"newest": "2", "needs": ["pygments"]},
        "pytest": {"newest": "9", "needs": ["pygments", "plug-gy"]},
        "pygments": {"newest": "5", "needs": []},
        "plug-gy": {"newest": "1", "needs": []},
    }
    (path / "projects").write_text(json.dumps(registry))
    monkeypatch.setenv("FAKE_PROJECTS", str(path / "projects"))


def test_a_set_on_another_holds_only_what_that_lacks(pip: None) -> None:
    sets = [WantedSet("wheel", "harness", {"rich": "why"}), WantedSet("wheel", "dev", {"pytest": "why"}, on="harness")]
    entries, members = wheels.resolve(sets, {}, {})
    assert members == {"harness": ["pygments", "rich"], "dev": ["plug-gy", "pytest"]}
    assert {name: entry["version"] for name, entry in entries.items()} == {
        "rich": "2",
        "pygments": "5",
        "pytest": "9",
        "plug-gy": "1",
    }


def test_what_another_set_has_binds_the_version(pip: None) -> None:
    known: Entries = {"pygments": {"name": "pygments", "version": "4"}}
    entries, _ = wheels.resolve([WantedSet("wheel", "harness", {"rich": "why"})], known, {})
    assert entries["pygments"]["version"] == "4"


def test_a_set_alone_finds_the_one_it_stands_on_among_the_kept(pip: None) -> None:
    known: Entries = {name: {"name": name, "version": "1"} for name in ("rich", "pygments")}
    alone = [WantedSet("wheel", "dev", {"pytest": "why"}, on="harness")]
    _, members = wheels.resolve(alone, known, {"harness": ["pygments", "rich"]})
    assert members == {"dev": ["plug-gy", "pytest"]}


def test_a_wheel_from_a_local_folder_is_refused(pip: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_SCHEME", "file")
    with pytest.raises(WrongBytesError, match="which is not PyPI"):
        wheels.resolve([WantedSet("wheel", "harness", {"rich": "why"})], {}, {})
