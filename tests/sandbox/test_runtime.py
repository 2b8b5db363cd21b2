"""Finding the pinned container runtime."""

from pathlib import Path

import pytest

from harness.errors import HostUnfitError
from harness.sandbox import runtime


def _make(folder: Path) -> dict[str, str]:
    (folder / "r/bin").mkdir(parents=True)
    (folder / "r/share/containers").mkdir(parents=True)
    (folder / "r/share/containers/seccomp.json").write_text("{}")
    (folder / "f/root/bin").mkdir(parents=True)
    for name in runtime.PROGRAMS:
        (folder / "r/bin" / name).write_text("")
    return {"HARNESS_RUNTIME": str(folder / "r"), "HARNESS_ROOTFS": str(folder / "f")}


@pytest.mark.parametrize("variable", ["HARNESS_RUNTIME", "HARNESS_ROOTFS"])
def test_an_unset_variable_is_named(tmp_path: Path, variable: str) -> None:
    env = _make(tmp_path)
    del env[variable]
    with pytest.raises(HostUnfitError, match=f"{variable} is not set"):
        runtime.find(env)


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    env = _make(tmp_path)
    (tmp_path / "r/bin/conmon").unlink()
    with pytest.raises(HostUnfitError, match="conmon"):
        runtime.find(env)


def test_a_whole_one(tmp_path: Path) -> None:
    found = runtime.find(_make(tmp_path))
    assert found.program("nft") == str(tmp_path / "r/bin/nft")
    assert found.root == tmp_path / "f/root"
