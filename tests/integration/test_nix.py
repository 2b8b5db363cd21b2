"""The flake by real Nix: same bytes when built again, and what is said where a pin is missing."""

import os
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def flake() -> str:
    """The flake of the source under test."""
    source = os.environ.get("HARNESS_SOURCE")
    if source is None:
        pytest.skip("HARNESS_SOURCE is not set: run these by `nix run .#tests`")
    return f"path:{source}"


def nix(*arguments: str) -> subprocess.CompletedProcess[str]:
    features = ["--extra-experimental-features", "nix-command flakes"]
    return subprocess.run(["nix", *features, *arguments], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", ["harness", "runtime", "sandbox-rootfs", "sandbox-image"])
def test_a_package_is_built_again_to_the_same_bytes(flake: str, name: str) -> None:
    for again in ([], ["--rebuild"]):
        built = nix("build", "--no-link", f"{flake}#{name}", *again)
        assert built.returncode == 0, built.stderr


def test_a_missing_pin_is_named_with_what_to_do(flake: str, tmp_path: Path) -> None:
    built = nix("build", "--no-link", "--store", str(tmp_path / "empty"), f"{flake}#pins")
    assert built.returncode != 0
    assert "missing pin" in built.stderr
    assert "pins/fetch" in built.stderr
