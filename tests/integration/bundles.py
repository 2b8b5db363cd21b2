"""A bundle of the harness under test, made once for all tests of a call."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest


@attrs.frozen
class Bundle:
    """``facts`` is what `harness bundle --json` said, ``seconds`` how long it took."""

    file: Path
    facts: dict[str, Any]
    seconds: float

    @property
    def description(self) -> Any:
        """Its bundle.json."""
        member = "hermetic-harness/bundle.json"
        return json.loads(subprocess.run(["tar", "-xOf", self.file, member], check=True, capture_output=True).stdout)

    def unpacked(self, folder: Path) -> Path:
        """Unpacks it as its users do; the installer's path."""
        subprocess.run(["tar", "-xf", self.file], cwd=folder, check=True)
        return folder / "hermetic-harness/install"


def source() -> Path:
    """The flake under test."""
    found = os.environ.get("HARNESS_SOURCE")
    if found is None:
        pytest.skip("HARNESS_SOURCE is not set: run these by `nix run .#tests`")
    return Path(found)


@pytest.fixture(scope="session")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bundle]:
    """One without pins and data."""
    file, began = tmp_path_factory.mktemp("bundle") / "harness.tar", time.monotonic()
    yield Bundle(file, make(file, source()), time.monotonic() - began)
    file.unlink()


def make(file: Path, flake: Path, *options: str) -> dict[str, Any]:
    """Runs `harness bundle`."""
    harness = [sys.executable, "-I", "-m", "harness.cli"]
    done = subprocess.run(
        [*harness, "bundle", file, "--source", flake, "--json", *options], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    facts: dict[str, Any] = json.loads(done.stdout)
    return facts
