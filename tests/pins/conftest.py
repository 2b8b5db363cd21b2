"""Puts the fetch step's packages and the helpers here on the path, and makes the small world of the tests."""

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "pins")]

from fetching import seed  # noqa: E402
from pinworld import KINDS, World, make_pins  # noqa: E402


@pytest.fixture
def install_fake(tmp_path: Path) -> Callable[[str, str], Path]:
    """Puts one of the fakes onto ``tmp_path / "bin"`` under a command's name."""

    def install(fake: str, command: str) -> Path:
        target = tmp_path / "bin" / command
        target.parent.mkdir(exist_ok=True)
        target.write_text(f"#!{sys.executable} -IS\n" + (HERE / "fakes" / fake).read_text())
        target.chmod(0o755)
        return target

    return install


@pytest.fixture
def world(tmp_path: Path, install_fake: Callable[[str, str], Path]) -> World:
    folder, shelf, store = (tmp_path / name for name in ("pins", "shelf", "store"))
    for made in (folder, shelf, store):
        made.mkdir()
    shutil.copyfile(ROOT / "pins/fetch", folder / "fetch")
    shutil.copytree(ROOT / "pins/fetching", folder / "fetching", ignore=shutil.ignore_patterns("__pycache__"))
    for command in ("apt-get", "pip3", "npm"):
        install_fake("client.py", command)
    install_fake("nix_store.py", "nix-store")
    pins = make_pins(shelf, b"busybox")
    for kind in KINDS:
        (folder / f"{kind}.json").write_text(json.dumps(pins[kind]))
    nar = hashlib.sha256(seed.nar(b"busybox")).hexdigest()
    (folder / "seed.json").write_text(json.dumps({"name": "busybox-seed", "sha256": nar}))
    (shelf / "index.json").write_text(
        json.dumps({f"{pin['name']}@{pin['version']}": pin["file"] for kind in KINDS for pin in pins[kind].values()})
    )
    for path in folder.rglob("*"):  # the tree that was copied may be read-only
        os.chmod(path, 0o755 if path.is_dir() else 0o644)  # noqa: PTH101
    return World(folder, shelf, tmp_path / "bin", store, pins)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with nothing on it but the fakes."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path
