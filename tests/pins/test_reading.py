"""Reading pins/*.json: what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from harness.errors import HostUnfitError
from harness.pins import read

DIGEST = "0" * 64
PIN = {
    "name": "zod",
    "version": "4.1.8",
    "file": "zod-4.1.8.tgz",
    "store": "zod-4.1.8.tgz",
    "size": 3,
    "sha256": DIGEST,
}


def write(folder: Path, **files: object) -> None:
    content: dict[str, Any] = {
        "deb": {},
        "wheel": {},
        "npm": {"zod": PIN},
        "sets": {"npm": {"plugin": ["zod"]}},
        "seed": {"name": "busybox-seed", "sha256": DIGEST},
    } | files
    for name, value in content.items():
        (folder / f"{name}.json").write_text(json.dumps(value))


def test_pins_and_sets(tmp_path: Path) -> None:
    write(tmp_path)
    pins = read(tmp_path)
    assert [(kind, pin.version) for kind, pin in pins] == [("npm", "4.1.8")]
    assert pins.sets["npm"]["plugin"] == ["zod"]
    # sha256 of "npm zod 4.1.8 000...\nseed busybox-seed 000...\n"
    assert pins.sha256 == "c3171bb9217a3e46de0b1cc8ef4c3852137fbe2144010c469942b2650db470f3"


@pytest.mark.parametrize(
    "change",
    [
        {"sha256": DIGEST.upper().replace("0", "A")},
        {"sha256": DIGEST[:-1]},
        {"size": 0},
        {"size": "3"},
        {"store": "zod~4.1.8.tgz"},
        {"store": ".zod"},
        {"colour": "red"},
    ],
)
def test_a_pin_of_the_wrong_form_is_refused(tmp_path: Path, change: dict[str, object]) -> None:
    write(tmp_path, npm={"zod": PIN | change})
    with pytest.raises(HostUnfitError, match="can't be read"):
        read(tmp_path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "deb.json").unlink()
    with pytest.raises(HostUnfitError, match=r"deb\.json"):
        read(tmp_path)


def test_a_set_that_names_what_is_not_pinned_is_refused(tmp_path: Path) -> None:
    write(tmp_path, sets={"npm": {"plugin": ["yaml", "zod"]}})
    with pytest.raises(HostUnfitError, match=r"\['yaml'\], which npm\.json lacks"):
        read(tmp_path)
