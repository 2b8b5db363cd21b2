"""The flake by real Nix: same bytes when built again, and what is said where a pin is missing."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def source() -> Path:
    """The source under test."""
    found = os.environ.get("HARNESS_SOURCE")
    if found is None:
        pytest.skip("HARNESS_SOURCE is not set: run these by `nix run .#tests`")
    return Path(found)


def build(flake: Path, name: str, *options: str) -> subprocess.CompletedProcess[str]:
    """``nix build``. From /: in a folder of the store, Nix takes every argument for a store path and builds nothing."""
    command = ["nix", "--extra-experimental-features", "nix-command flakes", "build", "--no-link"]
    return subprocess.run(
        [*command, f"path:{flake}#{name}", *options], cwd="/", capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("name", ["harness", "runtime", "sandbox-rootfs", "sandbox-image"])
def test_a_package_is_built_again_to_the_same_bytes(source: Path, name: str) -> None:
    first = build(source, name)
    assert first.returncode == 0, first.stderr
    again = build(source, name, "--rebuild")
    assert again.returncode == 0, again.stderr
    assert "checking outputs" in again.stderr


def test_a_missing_pin_is_named_with_what_to_do(source: Path, tmp_path: Path) -> None:
    """The pin is one that nobody has: not an empty store, since Nix's own fetcher writes to the real one then."""
    flake = tmp_path / "flake"
    shutil.copytree(source, flake)
    file = flake / "pins" / "npm.json"
    pins = json.loads(file.read_text())
    pins["opencode-linux-x64"]["sha256"] = "0" * 64
    file.chmod(0o644)
    file.write_text(json.dumps(pins))
    built = build(flake, "sandbox-rootfs")
    assert built.returncode != 0
    assert "missing pin opencode-linux-x64" in built.stderr
    assert "pins/fetch" in built.stderr
