"""Store paths are computed as Nix computes them."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from fetching import catalog, storepath

FOLDER = Path(__file__).resolve().parents[2] / "pins"
STORE = "/nix/store"

# Printed by `nix-store --print-fixed-path sha256 HEX NAME`, Nix 2.8.0.
FILES = {
    "3d3fdbe91d4660c873e14b092c213fe81c1da6362daa236eb25d0171eb108744": (
        "p8l0m761sn99yszkwycxjnwampq9fjz4-busybox-static_1-1.35.0-4+deb12u1+b1_amd64.deb"
    ),
    "89be24b41bff568ee6e7caf5680a3d808e80315ed92e407056ce0fa7a5bda025": (
        "cnjz7s7zd4akc7s8niip0aw4hxw8iyr1-libssl3_3.0.20-1-deb12u2_amd64.deb"
    ),
    "33bd4ef74232fb73fe9279a257718407f169c09b78a87ad3d296f548e27de0bb": (
        "8d06dkvag3yzfjsbbgbp83vk8vi7wy8l-rich-15.0.0-py3-none-any.whl"
    ),
    "465b40d7195b8dd0b52d8830f13cbe800858a2ee82fba4ce3c1832cd9727062b": (
        "8j306d3lzmglrclpdrn5jfq57dh5czyd-opencode-linux-x64-1.17.11.tgz"
    ),
}
# The same with --recursive.
SEED = (
    "494cdad037cf7d0a75ee816fc060b92663de1309602aff43c2f9ce55dade4c40",
    "qy31rbwq8bffh0frgpbafkb1c6ql2d20-busybox-seed",
)


@pytest.mark.parametrize(("sha256", "expected"), FILES.items())
def test_a_file(sha256: str, expected: str) -> None:
    assert storepath.of_file(expected.partition("-")[2], sha256, STORE) == f"{STORE}/{expected}"


def test_a_tree() -> None:
    sha256, expected = SEED
    assert storepath.of_tree("busybox-seed", sha256, STORE) == f"{STORE}/{expected}"


def test_another_store_gives_another_path() -> None:
    sha256, expected = SEED
    assert storepath.of_tree("busybox-seed", sha256, "/other/store").rpartition("/")[2] != expected


def test_base32_has_nixs_digits_and_order() -> None:
    # `nix-hash --type sha256 --to-base32` of the sha256 of nothing
    empty = bytes.fromhex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    assert storepath.base32(empty) == "0mdqa9w1p6cmli6976v4wi0sw9r4p5prkj7lzfd1877wk11c9c73"


@pytest.mark.integration
def test_every_pin_as_nix_itself_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if not shutil.which("nix-store"):
        pytest.skip("nix-store is not installed")
    monkeypatch.setenv("NIX_STORE_DIR", str(tmp_path))
    env = {**os.environ, "NIX_STATE_DIR": str(tmp_path / "var"), "NIX_LOG_DIR": str(tmp_path / "log")}
    pins = catalog.load(FOLDER).pins
    for kind in catalog.KINDS:
        pin = next(pin for pin in pins if pin.kind == kind)
        command = ["nix-store", "--print-fixed-path", "sha256", pin.sha256, pin.store]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == pin.path
