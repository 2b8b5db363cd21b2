"""closure(): what the wrapper's environment names."""

import shutil
from pathlib import Path

import pytest

from harness.errors import HostUnfitError
from harness.pins import closure, read

PINS = Path(__file__).resolve().parents[2] / "pins"
DIGEST = "ab" * 32


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    folders = {name: tmp_path / name.lower() for name in ("HARNESS_RUNTIME", "HARNESS_ROOTFS", "HARNESS_PINS")}
    for folder in folders.values():
        folder.mkdir()
    (folders["HARNESS_ROOTFS"] / "sha256").write_text(DIGEST + "\n")
    for path in PINS.glob("*.json"):
        shutil.copyfile(path, folders["HARNESS_PINS"] / path.name)
    return {name: str(folder) for name, folder in folders.items()}


def test_paths_and_digests(env: dict[str, str]) -> None:
    found = closure(env)
    assert (str(found.runtime), str(found.rootfs)) == (env["HARNESS_RUNTIME"], env["HARNESS_ROOTFS"])
    assert found.rootfs_sha256 == DIGEST
    assert found.pins_sha256 == read(PINS).sha256


@pytest.mark.parametrize("name", ["HARNESS_RUNTIME", "HARNESS_ROOTFS", "HARNESS_PINS"])
def test_a_variable_that_is_not_set(env: dict[str, str], name: str) -> None:
    del env[name]
    with pytest.raises(HostUnfitError, match=rf"{name} is not set\. Start the harness by `nix run`"):
        closure(env)


@pytest.mark.parametrize("name", ["HARNESS_RUNTIME", "HARNESS_ROOTFS", "HARNESS_PINS"])
def test_a_folder_that_is_not_there(env: dict[str, str], name: str) -> None:
    shutil.rmtree(env[name])
    with pytest.raises(HostUnfitError, match=rf"{name} names .*, which is not there"):
        closure(env)


@pytest.mark.parametrize("text", ["", "nonsense", DIGEST[:-1]])
def test_a_rootfs_without_a_digest(env: dict[str, str], text: str) -> None:
    Path(env["HARNESS_ROOTFS"], "sha256").write_text(text)
    with pytest.raises(HostUnfitError, match="holds no digest"):
        closure(env)


def test_a_rootfs_without_the_file(env: dict[str, str]) -> None:
    Path(env["HARNESS_ROOTFS"], "sha256").unlink()
    with pytest.raises(HostUnfitError, match="can't be read"):
        closure(env)
