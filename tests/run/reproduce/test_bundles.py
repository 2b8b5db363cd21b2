"""A bundle's harness comes into the store by the bundle's own installer."""

import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from harness.errors import HostUnfitError, StoreCorruptError, UsageError
from harness.run.reproduce.bundles import install

WANTED = Path("/nix/store") / ("0" * 32 + "-hermetic-harness")
INSTALLED = 'printf "%s\\n" "$@" >"$2/../called"\n'


def bundle(path: Path, files: dict[str, str]) -> Path:
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as file:
        for name, text in files.items():
            info = tarfile.TarInfo(f"hermetic-harness/{name}")
            info.size = len(text)
            file.addfile(info, io.BytesIO(text.encode()))
    return path


def called(bundle: Path, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "bin").mkdir(exist_ok=True)
    install(bundle, WANTED, folder, lambda line: None)


def described(harness: Any = str(WANTED)) -> str:
    return json.dumps({"harness": harness})


def test_the_installer_is_called_and_what_was_unpacked_goes(tmp_path: Path) -> None:
    folder = tmp_path / "to"
    called(bundle(tmp_path / "b.tar", {"install": INSTALLED, "bundle.json": described(), "cache/nar/x": "x"}), folder)
    words = (folder / "called").read_text().splitlines()
    assert words == ["--to", str(folder / "bin"), "--data-dir", str(folder / "data")]
    assert sorted(path.name for path in folder.iterdir()) == ["bin", "called"]


def test_what_a_killed_call_left_is_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "to/.harness-bundle/hermetic-harness/install").mkdir(parents=True)
    called(bundle(tmp_path / "b.tar", {"install": INSTALLED, "bundle.json": described()}), tmp_path / "to")
    assert (tmp_path / "to/called").is_file()


def test_a_folder_of_another_program_stays(tmp_path: Path) -> None:
    """Ruby's bundler keeps its settings in .bundle."""
    (tmp_path / "to/.bundle").mkdir(parents=True)
    (tmp_path / "to/.bundle/config").write_text("mine")
    called(bundle(tmp_path / "b.tar", {"install": INSTALLED, "bundle.json": described()}), tmp_path / "to")
    assert (tmp_path / "to/.bundle/config").read_text() == "mine"


def test_what_the_machine_lacks_the_installer_says(tmp_path: Path) -> None:
    with pytest.raises(HostUnfitError, match="The bundle's installer failed"):
        called(bundle(tmp_path / "b.tar", {"install": "exit 4", "bundle.json": described()}), tmp_path / "to")
    assert not (tmp_path / "to/.harness-bundle").exists()


def test_another_harness_is_not_installed(tmp_path: Path) -> None:
    files = {"install": INSTALLED, "bundle.json": described("/nix/store/other")}
    with pytest.raises(UsageError, match=r"holds another harness \(/nix/store/other\) than the one that made the run"):
        called(bundle(tmp_path / "b.tar", files), tmp_path / "to")
    assert not (tmp_path / "to/called").exists()


@pytest.mark.parametrize("text", ["", "[]", "{}"])
def test_a_bundle_that_names_none(tmp_path: Path, text: str) -> None:
    with pytest.raises(StoreCorruptError, match="names no harness"):
        called(bundle(tmp_path / "b.tar", {"bundle.json": text}), tmp_path / "to")


def test_what_is_no_bundle(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"holds no hermetic-harness/bundle\.json"):
        called(bundle(tmp_path / "b.tar", {"install": INSTALLED}), tmp_path / "to")
    with pytest.raises(UsageError, match="is not there"):
        called(tmp_path / "none.tar", tmp_path / "to")
    with pytest.raises(UsageError, match="is no plain file"):
        called(tmp_path, tmp_path / "to")


def test_nothing_leads_out_of_it(tmp_path: Path) -> None:
    with pytest.raises(StoreCorruptError, match="leads out of it"):
        called(bundle(tmp_path / "b.tar", {"../../escaped": "x"}), tmp_path / "to")
    assert not (tmp_path / "escaped").exists()
